import { parseAddress } from '@probity/engine/address/parse'
import type { ProbeResult } from '@probity/engine/smtp/probe/result'
import { conclude, DEFAULT_OPTIONS } from '@probity/engine/verdict/conclude'
import { NO_HISTORY } from '@probity/engine/verdict/deliverability'
import { explain } from '@probity/engine/verdict/evidence'
import { printTable, rounded } from '../report/print-table.ts'
import { type Conditions, simulateCatchAll } from './outcome-history.ts'
import { measureInLab } from './simulated-jobs.ts'
import { measureStrings } from './string-model.ts'

const HALF = { bounces: 0.5, deliveries: 0.5, withTotal: false }

/** Conditions that match the model's assumptions. */
const MATCHED: Conditions = { seed: 1, swallow: 0.35, good: 0.7, machine: 0.1, guess: 0.25, reported: HALF }

/** Conditions that differ from the model's assumptions; the worst of them counts. */
const MISMATCHED: Record<string, Conditions> = {
  'many machines': { ...MATCHED, machine: 0.6, guess: 0.1 },
  'few swallow, much is bad': { ...MATCHED, swallow: 0.1, good: 0.55, machine: 0.3, guess: 0.1 },
  'many swallow, little is bad': { ...MATCHED, swallow: 0.6, good: 0.85, machine: 0.02, guess: 0.4 },
}

const BIASED = { bounces: 0.9, deliveries: 0.2 }

/**
 * The accuracy of deliverability and confidence: the string model with names and machine strings it has never seen, the
 * catch-all model in simulations with known rules, and the whole service in the lab's simulation with outcomes reported
 * for half of the mail.
 */
export async function benchConfidence(): Promise<object> {
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    const strings = measureStrings()
    const whole = measureWhole()
    const lab = await measureInLab(stop.signal)
    return { ...strings, ...measureWorlds(), us_whole: rounded(whole), lab }
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

function measureWorlds() {
  const mismatched = Object.entries(MISMATCHED).map(
    ([name, conditions]) => [name, simulateCatchAll(conditions)] as const,
  )
  const biased = (withTotal: boolean) => simulateCatchAll({ ...MATCHED, reported: { ...BIASED, withTotal } })
  const figures = {
    ece_matched: simulateCatchAll(MATCHED),
    ece_mismatched: Math.max(...mismatched.map(([, ece]) => ece)),
    ece_biased: biased(true),
    ece_biased_without_total: biased(false),
  }
  printTable('how far chances are from what happens', [
    ['', 'ECE'],
    ...Object.entries(figures).map(([name, ece]) => [name, ece.toFixed(4)]),
    ...mismatched.map(([name, ece]) => [name, ece.toFixed(4)]),
  ])
  return roundAll(figures)
}

const ROUNDS = 200_000

/** Microseconds per address after the checks: tokenizing, shape, scoring and explanation. */
function measureWhole(): number {
  const findings = Array.from({ length: 500 }, (_, n) => ({
    address: parseAddress(`ada.lovelace${n}@example.com`),
    isRole: false,
    mailbox: CATCH_ALL,
  }))
  const history = { ...NO_HISTORY, domain: { delivered: 12.5, bounced: 1.5, shapes: [4, 0, 8.5] } }
  const run = () => {
    for (let n = 0; n < ROUNDS; n += 1) {
      const found = findings[n % findings.length]
      if (found) explain([], conclude(found, { provider: '', history }, DEFAULT_OPTIONS), history)
    }
  }
  run() // once, so that it is compiled
  const began = performance.now()
  run()
  return ((performance.now() - began) * 1_000) / ROUNDS
}

const CATCH_ALL: ProbeResult = {
  finding: { kind: 'accepted', code: 250 },
  acceptAll: 'yes',
  acceptAllSource: 'live',
  host: 'mx.example.com',
  transcript: [],
  at: 0,
  ms: 0,
}

function roundAll<T extends Record<string, number>>(figures: T): T {
  return Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, rounded(figure)])) as T
}
