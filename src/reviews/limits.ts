/** Imports no library: the page says at once what the server would refuse. */
export const maxCommentLength = 2000
