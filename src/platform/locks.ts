/** Advisory locks of the shop's database. Functions of the migrations 0019, 0022 and 0026 take the numbers between these. */
export const locks = { migrations: 727_306_151, admins: 727_306_154, demo: 727_306_156 } as const
