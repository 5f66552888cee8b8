import type { Result } from '@probity/contract/schemas/jobs/results'
import type { Existence } from '@probity/lab/simulation/data/behaviours'
import { createMailPopulation, type MailPopulation, type SimulatedAddress } from '@probity/lab/simulation/population'
import { openRandom } from '@probity/lab/simulation/random'
import {
  call,
  type JobClient,
  openAccount,
  startJobInstance,
  uploadList,
  validateUploaded,
} from '../environment/jobs.ts'
import { writeCsv } from '../environment/population.ts'
import { startSimulationHere } from '../environment/simulation.ts'

const SIZE = { seed: 1, domains: 200, addresses: 20_000 }
/** The share of sent mail whose outcome is reported. */
const REPORTED = 0.5
const OUTCOMES_PER_REPORT = 5_000
/** A deliverability this close to 0 or 1 counts as certain. */
const DECIDED = 0.97

/** The reply that a sender's mail server gets for a message to such a mailbox. */
const CODES: Record<Exclude<Existence, 'yes'>, string> = {
  no: '550 5.1.1',
  disabled: '550 5.2.1',
  moved: '551 5.1.6',
  full: '452 4.2.2', // temporary, so it is not a hard bounce
}
const HARD = new Set<Existence>(['no', 'disabled', 'moved'])

export type LabFigures = {
  safe: number
  safe_bounced: number
  catch_all: number
  catch_all_decidable_before: number
  catch_all_decidable_after: number
}

/**
 * The service in the lab's simulation, as a sender uses it: half of the addresses are validated, those that are not
 * invalid get mail, the outcome of half of that mail is reported, and then the other half of the addresses is
 * validated.
 */
export async function measureInLab(signal: AbortSignal): Promise<LabFigures> {
  await using cleanUp = new AsyncDisposableStack()
  const simulation = createMailPopulation(SIZE)
  const place = await startSimulationHere(SIZE, signal)
  cleanUp.defer(() => place.stop())
  const product = await startJobInstance({ ...place, workers: 1 }, cleanUp)
  const { key } = await openAccount(product.databaseUrl, ['validations:write', 'jobs:write'])
  const client = { url: product.url, key }

  const [first, second] = halves(simulation.addresses)
  const before = await validateList(client, first)
  await reportHalf(client, simulation, before)
  const after = await validateList(client, second)
  const safe = after.results.filter(({ safe_to_send }) => safe_to_send)
  const isCatchAll = ({ sub_status }: Result) => sub_status === 'catch_all'
  return {
    safe: safe.length,
    safe_bounced: share(safe, ({ email }) => HARD.has(simulation.truth(email))),
    catch_all: after.results.filter(isCatchAll).length,
    catch_all_decidable_before: share(before.results.filter(isCatchAll), isDecidable),
    catch_all_decidable_after: share(after.results.filter(isCatchAll), isDecidable),
  }
}

function isDecidable({ deliverability: p }: Result): boolean {
  return p >= DECIDED || p <= 1 - DECIDED
}

/** The list is shuffled, so both halves have addresses of the same domains. */
function halves(addresses: SimulatedAddress[]): [SimulatedAddress[], SimulatedAddress[]] {
  const middle = Math.floor(addresses.length / 2)
  return [addresses.slice(0, middle), addresses.slice(middle)]
}

type Validated = { jobId: string; results: Result[] }

async function validateList(client: JobClient, addresses: SimulatedAddress[]): Promise<Validated> {
  const { jobId, seconds } = await validateUploaded(client, await uploadList(client, writeCsv(addresses)))
  process.stderr.write(`${addresses.length} addresses validated in ${Math.round(seconds)} s\n`)
  const lines = await call(client, `/bulk/jobs/${jobId}/results?format=ndjson`, {})
  const results = lines.split('\n').filter(Boolean)
  return { jobId, results: results.map((line) => JSON.parse(line) as Result) }
}

async function reportHalf(client: JobClient, simulation: MailPopulation, { jobId, results }: Validated): Promise<void> {
  const random = openRandom(SIZE.seed)
  const mailed = results.filter(({ status }) => status !== 'invalid').filter(() => random.chance(REPORTED))
  const messages = mailed.map(({ email }) => {
    const exists = simulation.truth(email)
    return exists === 'yes' ? { email, delivery: 'delivered' } : { email, delivery: 'bounced', code: CODES[exists] }
  })
  for (let from = 0; from < messages.length; from += OUTCOMES_PER_REPORT) {
    const some = messages.slice(from, from + OUTCOMES_PER_REPORT)
    const body = JSON.stringify({ job_id: jobId, messages: some })
    const headers = { 'content-type': 'application/json' }
    process.stderr.write(`${await call(client, '/feedback', { method: 'POST', headers, body })}\n`)
  }
}

function share<T>(list: T[], is: (one: T) => boolean): number {
  return list.length === 0 ? 0 : list.filter(is).length / list.length
}
