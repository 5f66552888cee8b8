/** Marks text that is not whole, so that no reader takes the rest for all of it. */
export const SHORTENED = '[shortened]'

/** The text, or its beginning with the mark behind it; never longer than `lengthMax`, which must leave room for the mark. */
export function shorten(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  // Half of a surrogate pair is not text.
  const start = text.slice(0, lengthMax - SHORTENED.length - 1).replace(/[\ud800-\udbff]$/, '')
  return `${start.trimEnd()} ${SHORTENED}`
}
