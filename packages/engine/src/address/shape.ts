/** The structure of a local part, without its meaning. The order is fixed, because stored counts use it as their index. */
export const SHAPES = [
  'word', // ada
  'initial', // a letter or two
  'word.word', // ada.lovelace
  'initial.word', // a.lovelace
  'word.initial', // ada.l
  'word_word',
  'word-word',
  'three words', // ada.king.lovelace
  'word and digits', // ada1815
  'words and digits', // ada.lovelace2
  'digits',
  'other',
] as const

export type Shape = (typeof SHAPES)[number]

const SEPARATORS = /[._-]/

/** The shape of a local part. Case and tag do not count, because they do not depend on the naming convention of a domain. */
export function shapeOf(local: string): Shape {
  const name = local.split('+', 1)[0] ?? ''
  if (/^\d+$/.test(name)) return 'digits'
  const parts = name.split(SEPARATORS)
  if (parts.length > 3 || !parts.every((part) => /^\p{L}+\d*$/u.test(part))) return 'other'
  if (/\d/.test(name)) return parts.length === 1 ? 'word and digits' : 'words and digits'
  const [first = '', second = ''] = parts
  if (parts.length === 1) return isInitial(first) ? 'initial' : 'word'
  if (parts.length === 3) return 'three words'
  if (name.includes('_')) return 'word_word'
  if (name.includes('-')) return 'word-word'
  if (isInitial(first)) return 'initial.word'
  return isInitial(second) ? 'word.initial' : 'word.word'
}

function isInitial(part: string): boolean {
  return part.length <= 2
}
