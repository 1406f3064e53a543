/** Imports no library: the page says at once what the server would refuse. */
export const mostLetters = 2000
