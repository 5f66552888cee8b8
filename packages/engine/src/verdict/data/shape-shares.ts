import type { Shape } from '../../address/shape.ts'

/** Percentages: how common a shape is at domains in general, and among addresses guessed from names. */
type Shares = { usual: number; guessed: number }

/**
 * Estimates, based on common naming conventions and on which of them address-guessing tools try first. They matter only in addition to
 * the outcomes of the domain itself, and their ratio is limited.
 */
export const SHAPE_SHARES: Record<Shape, Shares> = {
  word: { usual: 0.3, guessed: 0.31 },
  initial: { usual: 0.02, guessed: 0.02 },
  'word.word': { usual: 0.34, guessed: 0.4 },
  'initial.word': { usual: 0.06, guessed: 0.1 },
  'word.initial': { usual: 0.02, guessed: 0.04 },
  word_word: { usual: 0.03, guessed: 0.04 },
  'word-word': { usual: 0.03, guessed: 0.03 },
  'three words': { usual: 0.03, guessed: 0.01 },
  'word and digits': { usual: 0.08, guessed: 0.02 },
  'words and digits': { usual: 0.03, guessed: 0.01 },
  digits: { usual: 0.02, guessed: 0.01 },
  other: { usual: 0.04, guessed: 0.01 },
}
