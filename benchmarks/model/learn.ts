import { newFeatures, newReading, readLocal, SLOTS, writeFeatures } from '@probity/engine/address/string-features'
import { exponential } from './exponential.ts'

/** Strings as the indexes of their weights in sequence: string `n` has slots `ends[n - 1]` up to `ends[n]`. */
export type Examples = { slots: Uint16Array; ends: Uint32Array; human: Uint8Array }

export type Labelled = { text: string; human: boolean }

export function toExamples(labelled: readonly Labelled[]): Examples {
  const reading = newReading()
  const features = newFeatures()
  const ends = new Uint32Array(labelled.length + 1)
  const human = new Uint8Array(labelled.length)
  let slots = new Uint16Array(labelled.length * 64)
  let end = 0
  for (const [index, { text, human: isHuman }] of labelled.entries()) {
    readLocal(text, reading)
    writeFeatures(reading, features)
    if (end + features.length > slots.length) slots = grow(slots)
    slots.set(features.slots.subarray(0, features.length), end)
    end += features.length
    ends[index + 1] = end
    human[index] = isHuman ? 1 : 0
  }
  return { slots, ends, human }
}

function grow(slots: Uint16Array<ArrayBuffer>): Uint16Array<ArrayBuffer> {
  const larger = new Uint16Array(slots.length * 2)
  larger.set(slots)
  return larger
}

const EPOCHS = 2
const STEP = 0.04
/** Regularization: reduces each weight slightly at every update, so that rare grams stay small. */
const DECAY = 2e-6

/**
 * Logistic regression by stochastic gradient descent, one string after the other in the given order. Every weight has
 * its own step size, which shrinks with its updates (Adagrad). It uses only sums, products, quotients and square roots,
 * which IEEE 754 defines to the last bit.
 */
export function learn(examples: Examples): Float64Array {
  const weights = new Float64Array(SLOTS)
  const touched = new Float64Array(SLOTS).fill(1e-4)
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    for (let index = 0; index < examples.human.length; index += 1) learnOne(examples, index, { weights, touched })
  }
  return weights
}

function learnOne(
  { slots, ends, human }: Examples,
  index: number,
  state: { weights: Float64Array; touched: Float64Array },
) {
  const { weights, touched } = state
  const from = ends[index] ?? 0
  const to = ends[index + 1] ?? 0
  let sum = 0
  for (let at = from; at < to; at += 1) sum += weights[slots[at] ?? 0] ?? 0
  const error = probability(sum) - (human[index] ?? 0)
  for (let at = from; at < to; at += 1) {
    const slot = slots[at] ?? 0
    const weight = weights[slot] ?? 0
    const gradient = error + DECAY * weight
    const square = (touched[slot] ?? 0) + gradient * gradient
    touched[slot] = square
    weights[slot] = weight - (STEP * gradient) / Math.sqrt(square)
  }
}

export function probability(logit: number): number {
  if (logit > 30) return 1
  if (logit < -30) return 0
  return 1 / (1 + exponential(-logit))
}

/** The sum of the weights of each string. */
export function scoreAll({ slots, ends, human }: Examples, weights: Float64Array): Float64Array {
  return Float64Array.from(human, (_, index) => {
    let sum = 0
    for (let at = ends[index] ?? 0; at < (ends[index + 1] ?? 0); at += 1) sum += weights[slots[at] ?? 0] ?? 0
    return sum
  })
}
