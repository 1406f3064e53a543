/**
 * Advisory locks in the shop's database: any numbers will do that nothing else there uses. Functions of the migrations
 * 0019, 0022 and 0026 take one more each.
 */
export const locks = { migrations: 727_306_151, admins: 727_306_154, demo: 727_306_156 } as const
