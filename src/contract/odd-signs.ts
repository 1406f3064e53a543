/** Signs that turn the direction of what follows, and the byte order mark: such text shows as what it is not. */
export const deceiving = /[\u202a-\u202e\u2066-\u2069\ufeff]/
/**
 * More marks on one letter than any script has; they would grow over the lines around it. Signs that show nothing may stand
 * between them.
 */
export const stackedMarks = /(\p{M}(?:\p{Cf}*\p{M}){5})(?:\p{Cf}*\p{M})+/u
/** All that shows nothing: spaces, signs that only work on others, marks with no letter, and a letter of Braille without dots. */
export const invisible = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{M}\u2800]*$/u

/**
 * Text on one line that nobody has checked, as it may be shown: without what the server would not take (`text` in `shapes.ts`).
 * The page does without zod.
 *
 * @param most letters; of what somebody looks for, as many as the server takes
 */
export function plain(given: string, most = 200): string {
  const written = given
    .toWellFormed()
    .replace(new RegExp(deceiving, 'g'), '')
    .replace(/\p{Cc}+/gu, ' ')
    .replace(new RegExp(stackedMarks, 'gu'), '$1')
  return [...written].slice(0, most).join('').trim()
}
