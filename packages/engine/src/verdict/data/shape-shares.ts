import type { Shape } from '../../address/shape.ts'

/** Of a hundred: how domains in general build their addresses, and how those do who make addresses up from names. */
type Shares = { usual: number; guessed: number }

/**
 * Judgements, set by what naming conventions are common and which of them tools that guess addresses try first. They matter only
 * beside what a domain itself has shown, and the ratio between them is bounded.
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
