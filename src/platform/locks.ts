/**
 * Advisory locks in the shop's database: any numbers will do that nothing else there uses. Migrations take three more, ...152
 * for the counts of products, ...153 for those of ratings and ...155 for long lists.
 */
export const locks = { migrations: 727_306_151, admins: 727_306_154, demo: 727_306_156 } as const
