/** Characters that change the direction of text, and the byte order mark: such text displays as something else. */
export const deceivingCharacters = /[\u202a-\u202e\u2066-\u2069\ufeff]/
/**
 * More combining marks on one letter than any script has; they would cover the lines around it. Invisible
 * characters may stand between them.
 */
export const stackedMarks = /(\p{M}(?:\p{Cf}*\p{M}){5})(?:\p{Cf}*\p{M})+/u
/** Shows nothing: white space, default-ignorable characters, marks without a letter, the blank Braille sign. */
export const invisibleText = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{M}\u2800]*$/u

/**
 * Unchecked text on one line, made fit to be shown: without what the server would refuse (see `text` in
 * `shapes.ts`). Works without zod, for the page.
 *
 * @param most characters; for a search, as many as the server takes
 */
export function toDisplayableText(text: string, most = 200): string {
  const written = text
    .toWellFormed()
    .replace(new RegExp(deceivingCharacters, 'g'), '')
    .replace(/\p{Cc}+/gu, ' ')
    .replace(new RegExp(stackedMarks, 'gu'), '$1')
  return [...written].slice(0, most).join('').trim()
}
