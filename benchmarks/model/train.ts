import { createHash } from 'node:crypto'
import { GRAM_SLOTS } from '@probity/engine/address/string-features'
import { calibrate, chooseThreshold } from './calibrate.ts'
import { type Examples, type Labelled, learn, scoreAll, toExamples } from './learn.ts'
import { makeMachines } from './machines.ts'
import { listNames } from './names.ts'
import { makeOddPeople, makePeople } from './people.ts'
import { seedRandom, shuffle } from './random.ts'

/** Increased with every published model, so that a result names its model version. */
const VERSION = '1'

const SEEDS = { people: 1, machines: 2, order: 3, held: 4 }

/** Number of generated strings of each kind, before duplicates are removed. */
const COUNT = 280_000

/** Shorter strings are never scored. */
const LENGTH_MIN = 5

/** Number of people and of machines generated again, for the calibration and the threshold. */
const HELD_OUT = 30_000

/** Scored by the trainer and again by the scorer's test, which detects feature changes without new weights. */
const SCORED = [
  'anna.schmidt',
  'mkowalczyk1987',
  'sdfkjh',
  'x7k2q',
  'le.quang-huy_',
  'zzzzzz',
  '2fast4you',
  'rlaalstn',
  'deadbeef',
]

/** The share of held-out people that may be classified as machines. */
const FALSE_FLAGS_MAX = 0.0025

/** A model as stored: the log-odds are the sums of the weights times their scales, plus the intercept. */
export type StringModel = {
  name: string
  version: string
  hash: string
  gramScale: number
  shapeScale: number
  intercept: number
  threshold: number
  weights: string
  examples: Record<string, number>
}

export type Trained = { model: StringModel; figures: Record<string, number | string> }

/** Trains from scratch. The same code and the same packages give the same bytes. */
export function train(): Trained {
  const labelled = makeLabelled()
  const heldOut = toExamples(makeHeldOut(labelled))
  const { bytes, gramScale, shapeScale } = quantise(learn(toExamples(shuffle(seedRandom(SEEDS.order), labelled))))

  // Calibrated with the weights that are left after rounding, as in use.
  const sums = scoreAll(
    heldOut,
    Float64Array.from(bytes, (byte, slot) => byte * (slot < GRAM_SLOTS ? gramScale : shapeScale)),
  )
  const { slope, offset } = calibrate(sums, heldOut.human)
  const logits = sums.map((sum) => slope * sum + offset)
  const numbers = {
    gramScale: round(gramScale * slope, 1e9),
    shapeScale: round(shapeScale * slope, 1e9),
    intercept: round(offset, 1e9),
    threshold: round(chooseThreshold(ofPeople(logits, heldOut), FALSE_FLAGS_MAX), 10),
  }
  const weights = Buffer.from(bytes.buffer).toString('base64')
  const hash = createHash('sha256')
    .update(`${JSON.stringify(numbers)}\n${weights}`)
    .digest('hex')
  const model = {
    name: 'probity-local',
    version: VERSION,
    hash,
    ...numbers,
    examples: scoreExamples(bytes, numbers),
    weights,
  }
  return {
    model,
    figures: { learnt_from: labelled.length, ...figuresOf(logits, heldOut, numbers.threshold) },
  }
}

function scoreExamples(
  bytes: Int8Array,
  { gramScale, shapeScale, intercept }: Pick<StringModel, 'gramScale' | 'shapeScale' | 'intercept'>,
): Record<string, number> {
  const weights = Float64Array.from(bytes, (byte, slot) => byte * (slot < GRAM_SLOTS ? gramScale : shapeScale))
  const sums = scoreAll(toExamples(SCORED.map((text) => ({ text, human: true }))), weights)
  return Object.fromEntries(SCORED.map((text, index) => [text, round((sums[index] ?? 0) + intercept, 1e6)]))
}

/** All training strings without duplicates. The evaluation excludes them. */
export function makeLabelled(): Labelled[] {
  return label(
    makePeople(seedRandom(SEEDS.people), COUNT),
    makeMachines(seedRandom(SEEDS.machines), COUNT, listFirstNames()),
  )
}

/**
 * Strings that were not used for training. Every second person has an odd name: real names are odder than generated
 * ones, and log-odds fitted to generated ones alone would be too certain.
 */
function makeHeldOut(learnt: readonly Labelled[]): Labelled[] {
  const random = seedRandom(SEEDS.held)
  const known = new Set(learnt.map(({ text }) => text))
  const people = [...makePeople(random, HELD_OUT / 2), ...makeOddPeople(random, HELD_OUT / 2)]
  return label(people, makeMachines(random, HELD_OUT, listFirstNames())).filter(({ text }) => !known.has(text))
}

function label(people: string[], machines: string[]): Labelled[] {
  const own = new Set(people.filter(isLongEnough))
  const others = new Set(machines.filter((text) => isLongEnough(text) && !own.has(text)))
  return [...[...own].map((text) => ({ text, human: true })), ...[...others].map((text) => ({ text, human: false }))]
}

function listFirstNames(): string[] {
  return listNames().flatMap(({ first }) => first)
}

function isLongEnough(text: string): boolean {
  return text.length >= LENGTH_MIN
}

/** One byte per weight: grams and shapes have separate scales, since shapes have larger weights. */
function quantise(weights: Float64Array): { bytes: Int8Array<ArrayBuffer>; gramScale: number; shapeScale: number } {
  const gramScale = largest(weights.subarray(0, GRAM_SLOTS)) / 127
  const shapeScale = largest(weights.subarray(GRAM_SLOTS)) / 127
  const bytes = Int8Array.from(weights, (weight, slot) =>
    Math.round(weight / (slot < GRAM_SLOTS ? gramScale : shapeScale)),
  )
  return { bytes, gramScale, shapeScale }
}

function largest(weights: Float64Array): number {
  return weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0)
}

function round(value: number, parts: number): number {
  return Math.round(value * parts) / parts
}

function ofPeople(logits: Float64Array, { human }: Examples): Float64Array {
  return logits.filter((_, index) => human[index] === 1)
}

/**
 * Figures of the held-out strings. They come from the same generators as the training strings: the evaluation's figures
 * count.
 */
function figuresOf(logits: Float64Array, heldOut: Examples, threshold: number): Record<string, number> {
  const people = ofPeople(logits, heldOut)
  const machines = logits.filter((_, index) => heldOut.human[index] === 0)
  const shareBelow = (list: Float64Array) => list.filter((logit) => logit < threshold).length / list.length
  return { held_out: logits.length, held_out_false_flags: shareBelow(people), held_out_caught: shareBelow(machines) }
}
