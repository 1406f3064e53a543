/**
 * Advisory locks of the shop's database. Functions of the migrations take …152 to count products, …153 ratings,
 * …155 long lists, and that for the words of products.
 */
export const locks = {
  migrations: 727_306_151,
  admins: 727_306_154,
  demo: 727_306_156,
  words: 727_306_157,
} as const
