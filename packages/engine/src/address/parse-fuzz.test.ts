import { expect, test } from 'vitest'
import { bestTime } from '../test-best-time.ts'
import { dedupeKey } from './dedupe-key.ts'
import { type Address, type Malformed, parseAddress, writeDomain } from './parse.ts'
import { isRole } from './role.ts'
import { suggest } from './suggest.ts'
import { makeInputs } from './test-inputs.ts'

/** FUZZ=10000000 for a longer search, SEED for another one. Gate 3 sets FUZZ=1000000. */
const INPUTS = Number(process.env['FUZZ'] ?? 200_000)
const SEED = Number(process.env['SEED'] ?? 5321)

const MS_MAX = 5
const BATCH = 100

test('parseAddress reads any text without throwing and returns consistent addresses', {
  timeout: 60_000 + INPUTS,
}, () => {
  let accepted = 0
  for (const batch of makeBatches()) for (const text of batch) accepted += holdPromises(text, parseAddress(text))
  // The search would prove nothing if very few texts were accepted.
  expect(accepted).toBeGreaterThan(INPUTS / 10)
})

test('parseAddress reads any text within 5 ms', { tags: ['timed'], timeout: 60_000 + INPUTS }, () => {
  for (const batch of makeBatches()) {
    const started = performance.now()
    batch.forEach(parseAddress)
    // If a batch takes less than the limit of one text, so does each of its texts.
    if (performance.now() - started > MS_MAX) batch.forEach(throwIfSlow)
  }
})

function* makeBatches(): Generator<string[]> {
  const inputs = makeInputs(SEED)
  for (let left = INPUTS; left > 0; left -= BATCH) yield Array.from({ length: BATCH }, () => inputs.next().value)
}

function throwIfSlow(text: string): void {
  const ms = bestTime(MS_MAX, () => void parseAddress(text))
  if (ms > MS_MAX) throw new Error(`${ms} ms for ${JSON.stringify(text)}`)
}

function holdPromises(text: string, address: Address | Malformed): number {
  const key = dedupeKey(text)
  if (key !== text && dedupeKey(key) !== key)
    throw new Error(`the key of the key of ${JSON.stringify(text)} is another`)
  const isForAddress = !key.startsWith(' ') && text.length <= 1024
  if (isForAddress !== (address.kind === 'address')) throw new Error(`a wrong kind of key: ${JSON.stringify(text)}`)
  if (address.kind === 'malformed') return 0

  const fault = findBrokenPromise(address)
  if (fault !== undefined) throw new Error(`${fault}: ${JSON.stringify(text)}`)
  return 1
}

function findBrokenPromise(address: Address): string | undefined {
  const { local, domain, quoted, needsUtf8 } = address
  const sent = `${local}@${writeDomain(domain)}`
  if (!needsUtf8 && /[^\x20-\x7e]/.test(sent)) return 'not printable ASCII'
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(sent)) return 'a control character'
  if (!/^[!-~]+$/.test(writeDomain(domain))) return 'not ASCII in the domain'
  if (quoted !== /^".*"$/s.test(local)) return 'quoted or not'
  if (!quoted && /[\s<>()[\],:;@\\"]/.test(local)) return 'a special character outside quotes'
  if (quoted && !/^"(?:[^"\\]|\\["\\])*"$/.test(local)) return 'not canonical in its quotes'
  if (/[\s<>]/.test(writeDomain(domain))) return 'a special character in the domain'
  if (new TextEncoder().encode(local).length > 64 || new TextEncoder().encode(sent).length > 254) return 'too long'
  return findDifference(address, sent)
}

function findDifference(address: Address, sent: string): string | undefined {
  const again = parseAddress(sent)
  if (again.kind === 'malformed') return `its own form is malformed: ${again.reason}`
  const same = JSON.stringify({ ...again, text: address.text }) === JSON.stringify(address)
  if (!same) return 'its own form is another address'
  const suggestion = suggest(address)
  if (suggestion !== null && parseAddress(suggestion).kind === 'malformed') return 'a malformed suggestion'
  return typeof isRole(address) === 'boolean' ? undefined : 'no answer on its role'
}
