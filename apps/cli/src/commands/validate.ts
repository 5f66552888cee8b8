import type { Probity } from '@probity/sdk'
import { type Command, InvalidArgumentError } from 'commander'
import { type ConsentFlags, obtainConsent, type Price, writePrice } from '../consent.ts'
import { readDnsServer } from '../dns-server.ts'
import { type FailOn, refuseMatched, refuseUnknownNames } from '../fail-on.ts'
import { findBalance } from '../find-balance.ts'
import { inOrder } from '../in-order.ts'
import { countOf } from '../output/numbers.ts'
import { openProgress } from '../output/progress.ts'
import { openResultWriter, RESULT_FORMATS, type ResultFormat, type ShownResult } from '../output/result-writer.ts'
import { readAddresses } from '../read-addresses.ts'
import { Refusal } from '../refusal.ts'
import { act, openClient, type Run, type Stage } from '../run.ts'
import { getKey } from '../settings.ts'
import { addConsent, addExamples, addFailOn, outputOption } from './options.ts'

type Flags = ConsentFlags & {
  output: ResultFormat
  offline?: boolean
  dns?: string[]
  timeout?: number
  policy?: string
  dryRun?: boolean
  failOn?: FailOn[]
}

/** Whoever types so few addresses knows what they cost; more of them, or a file of them, is asked about first. */
const TYPED_MAX = 10
/** Up to so many are asked for one by one, and answered with all there is to know; more go as lists. */
const SINGLES_MAX = 50
const SINGLES_AT_ONCE = 5
/** A fifth of what a request may hold, so that the first results are there while the rest is worked on. */
const LIST_LENGTH = 200
const OFFLINE_AT_ONCE = 20

export function addValidate(program: Command, stage: Stage): void {
  const command = program
    .command('validate')
    .description('Say of each address whether mail to it arrives, and why.')
    .argument('[addresses...]', 'the addresses; - reads more of them from standard input, one to a line')
    .addOption(outputOption(RESULT_FORMATS, 'table'))
    .option('--timeout <seconds>', 'how long the service may take for an address, 1 to 30', readTimeout)
    .option('--policy <name>', 'what this policy decides of each: allow, review or block, and why')
    .option('--dry-run', 'say what it would cost, and spend nothing')
    .option('--offline', 'judge here, by syntax and DNS: no service, no key, no cost, and no mail server is asked')
    .option('--dns <address>', 'with --offline: ask this resolver, as 127.0.0.1:5353', readDnsServer)
  addFailOn(addConsent(command)).action(act(stage, validateAddresses))
  addExamples(command, [
    ['probity validate ada@example.com', 'One address, as a table.'],
    ['probity validate ada@example.com -o json', 'All that is known of it, for a program.'],
    ['probity validate ada@example.com --policy signup', 'Whether to take it, by a policy.'],
    ['probity validate - -o jsonl --max-credits 500 <addresses.txt', 'An address per line in, a result per line out.'],
    ['probity validate --offline ada@example.com', 'Without a key: syntax and DNS alone.'],
  ])
}

async function validateAddresses(run: Run, flags: Flags, typed: string[]): Promise<void> {
  await refuseUnknownNames(flags.failOn)
  const addresses = await readAddresses(run, typed)
  const isTyped = !typed.includes('-') && addresses.unique.length <= TYPED_MAX
  if (addresses.repeated > 0)
    run.terminal.say(`${countOf(addresses.repeated, 'repeated address', 'repeated addresses')} left out.`)
  if ((flags.offline || flags.dns) && flags.policy !== undefined)
    throw new Refusal('usage', 'Policies are kept by the service: --policy does not go with --offline.')
  if (flags.offline || flags.dns)
    return writeResults(run, flags, addresses.unique, await askHere(flags, addresses.unique))

  const client = await openClient(run)
  await agree(run, client, flags, { ...addresses, isTyped })
  if (flags.dryRun) return
  await writeResults(run, flags, addresses.unique, askService(run, client, flags, addresses.unique))
}

type Asked = { unique: string[]; repeated: number; isTyped: boolean }

async function agree(run: Run, client: Probity, flags: Flags, { unique, repeated, isTyped }: Asked): Promise<void> {
  const credits = getKey(run.settings).mode === 'test' ? 0 : unique.length
  const rows = unique.length + repeated
  const priceWith = (balance: Pick<Price, 'available' | 'unlimited'>) => ({
    rows,
    unique: unique.length,
    credits,
    ...balance,
  })
  if (flags.dryRun) {
    return run.terminal.print(writePrice(priceWith(await findBalance(run, client))))
  }
  const isAgreed = credits === 0 || (isTyped && flags.maxCredits === undefined)
  if (!isAgreed) await obtainConsent(run, priceWith(await findBalance(run, client)), flags)
}

function askService(run: Run, client: Probity, flags: Flags, emails: string[]): AsyncIterable<ShownResult> {
  const options = { signal: run.signal, waitSeconds: flags.timeout, policy: flags.policy }
  if (emails.length <= SINGLES_MAX) return inOrder(emails, SINGLES_AT_ONCE, (email) => client.validate(email, options))
  return askInLists(client, emails, options)
}

/** The same options as for one; the answers are shorter. */
async function* askInLists(client: Probity, emails: string[], options: Parameters<Probity['validateBulk']>[1]) {
  for (let from = 0; from < emails.length; from += LIST_LENGTH) {
    const { results } = await client.validateBulk(emails.slice(from, from + LIST_LENGTH), options)
    yield* results
  }
}

/** The engine brings large lists along, which are read only when they are needed. */
async function askHere({ dns }: Flags, emails: string[]): Promise<AsyncIterable<ShownResult>> {
  const { openOffline } = await import('../offline.ts')
  return inOrder(emails, OFFLINE_AT_ONCE, openOffline(dns))
}

async function writeResults(run: Run, flags: Flags, emails: string[], results: AsyncIterable<ShownResult>) {
  const { terminal } = run
  const total = emails.length
  const writer = await openResultWriter(terminal, flags, total)
  const progress = total > SINGLES_MAX ? await openProgress(terminal) : undefined
  const counts = new Map<string, number>()
  let done = 0
  try {
    progress?.show({ done, total })
    for await (const result of results) {
      for (const name of [result.status, result.sub_status]) counts.set(name, (counts.get(name) ?? 0) + 1)
      await writer.write(result)
      progress?.show({ done: ++done, total })
    }
  } finally {
    progress?.stop()
    await writer.end()
  }
  refuseMatched(flags.failOn, { total, counts })
}

function readTimeout(text: string): number {
  if (!/^([1-9]|[12]\d|30)$/.test(text)) throw new InvalidArgumentError('It is a number of seconds from 1 to 30.')
  return Number(text)
}
