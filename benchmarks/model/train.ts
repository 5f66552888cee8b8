import { createHash } from 'node:crypto'
import { GRAM_SLOTS } from '@probity/engine/address/string-features'
import { calibrate, chooseThreshold } from './calibrate.ts'
import { type Examples, type Labelled, learn, scoreAll, toExamples } from './learn.ts'
import { makeMachines } from './machines.ts'
import { listNames } from './names.ts'
import { makeOddPeople, makePeople } from './people.ts'
import { seedRandom, shuffle } from './random.ts'

/** Raised with every model that is published, so that a result says which one spoke. */
const VERSION = '1'

const SEEDS = { people: 1, machines: 2, order: 3, held: 4 }

/** How many strings are made of each kind, before those that were made twice are dropped. */
const COUNT = 280_000

/** Shorter strings are never scored. */
const LENGTH_MIN = 5

/** How many people and as many machines are made once more, for the calibration and the threshold. */
const HELD_OUT = 30_000

/** Scored by the trainer and again by the scorer's test: features that changed without new weights are found out there. */
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

/** How many of the held-out people may be called machines. */
const FALSE_FLAGS_MAX = 0.0025

/** A model as it is written down: the log-odds are the sums of the weights times their scales, and the intercept. */
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

/** Trains from nothing. The same code and the same packages give the same bytes. */
export function train(): Trained {
  const labelled = makeLabelled()
  const heldOut = toExamples(makeHeldOut(labelled))
  const { bytes, gramScale, shapeScale } = quantise(learn(toExamples(shuffle(seedRandom(SEEDS.order), labelled))))

  // Calibrated as it will be used: with the weights that are left after rounding.
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

/** Everything the model learns from, each string once. The evaluation leaves these out. */
export function makeLabelled(): Labelled[] {
  return label(
    makePeople(seedRandom(SEEDS.people), COUNT),
    makeMachines(seedRandom(SEEDS.machines), COUNT, listFirstNames()),
  )
}

/**
 * Strings that were not learnt from. Every second person has an odd name: the names that people really have are odder than
 * those we make up, and log-odds fitted to ours alone would claim too much.
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

/** One byte for a weight: grams and shapes have scales of their own, since shapes weigh more. */
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

/** How the held-out strings fare. They come from the generators that were learnt from: the evaluation's figures count. */
function figuresOf(logits: Float64Array, heldOut: Examples, threshold: number): Record<string, number> {
  const people = ofPeople(logits, heldOut)
  const machines = logits.filter((_, index) => heldOut.human[index] === 0)
  const shareBelow = (list: Float64Array) => list.filter((logit) => logit < threshold).length / list.length
  return { held_out: logits.length, held_out_false_flags: shareBelow(people), held_out_caught: shareBelow(machines) }
}
