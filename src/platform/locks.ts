/**
 * Advisory locks in the shop's database: any numbers will do that nothing else there uses. Migrations take three more: 727306152
 * for the counts of products, 727306153 for those of ratings, 727306155 for long lists.
 */
export const locks = { migrations: 727_306_151, admins: 727_306_154, demo: 727_306_156 } as const
