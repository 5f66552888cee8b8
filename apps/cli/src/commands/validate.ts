import { createInterface } from 'node:readline'
import type { Probity, ValidateBulkOptions } from '@probity/sdk'
import { type Command, InvalidArgumentError } from 'commander'
import { CliError } from '../cli-error.ts'
import { type CostFlags, confirmCost, findBalance, formatPrice, presentPrice } from '../confirm.ts'
import { countOf } from '../output/format.ts'
import { openResultView, type ShownResult } from '../output/results.ts'
import { createAction, openClient, type Run, type Stage } from '../run.ts'
import { getKey } from '../settings.ts'
import { openProgress } from '../terminal.ts'
import {
  addCostOptions,
  addExamples,
  addFailOn,
  checkFailOn,
  checkFailOnNames,
  type FailOn,
  readDnsServer,
} from './options.ts'

type Flags = CostFlags & {
  offline?: boolean
  dns?: string[]
  timeout?: number
  policy?: string
  dryRun?: boolean
  failOn?: FailOn[]
}

/** Up to this many typed addresses are charged without a confirmation. */
const TYPED_MAX = 10
/** Up to this many addresses are validated with single requests, whose results contain evidence. */
const SINGLES_MAX = 50
const SINGLES_CONCURRENCY = 5
/** A fifth of the maximum, so that the first results appear early. */
const BULK_LENGTH = 200
/** The maximum of `timeout` in single requests; bulk requests allow more. */
const SINGLE_TIMEOUT_MAX_S = 30
const OFFLINE_CONCURRENCY = 20

export function addValidate(program: Command, stage: Stage): void {
  const command = program
    .command('validate')
    .description('Validate addresses: one typed address is one object, several are a list.')
    .argument('[addresses...]', 'addresses; - reads more from standard input, one per line')
    .option('--timeout <seconds>', 'time limit of the service per request, 1 to 55', readTimeout)
    .option('--policy <name>', 'add the decision of this policy: allow, review or block')
    .option('--dry-run', 'print the cost and charge nothing')
    .option('--offline', 'check syntax and DNS on this machine, without service, key, cost and SMTP')
    .option('--dns <address>', 'DNS server for --offline, such as 127.0.0.1:5353; repeatable', readDnsServer)
  addFailOn(addCostOptions(command)).action(createAction(stage, validateAddresses))
  addExamples(command, [
    ['probity validate ada@example.com', 'Validate one address and print a table.'],
    ['probity validate ada@example.com --json', 'Print the whole result with its evidence.'],
    ['probity validate ada@example.com --policy signup', 'Add the decision of a policy.'],
    ['probity validate - --format jsonl --max-credits 500 <addresses.txt', 'Validate lines of a file in a script.'],
    ['probity validate --offline ada@example.com', 'Check syntax and DNS without a key.'],
  ])
}

async function validateAddresses(run: Run, flags: Flags, args: string[]): Promise<void> {
  await checkFailOnNames(flags.failOn)
  const isOffline = flags.offline === true || flags.dns !== undefined
  if (isOffline && flags.policy !== undefined) {
    throw new CliError('usage', '--policy needs the service and cannot be used with --offline.')
  }
  const addresses = await readAddresses(run, args)
  if (addresses.duplicateCount > 0) run.terminal.note(`${countOf(addresses.duplicateCount, 'duplicate')} skipped.`)
  // The form of the result depends on the command line, not on the number of lines in a file.
  const isOne = args.length === 1 && args[0] !== '-'
  if (isOffline)
    return writeResults(run, flags, { ...addresses, isOne }, await validateOffline(flags, addresses.unique))

  const client = await openClient(run)
  const isTyped = !args.includes('-') && addresses.unique.length <= TYPED_MAX
  const isConfirmed = await confirmPrice(run, client, flags, { ...addresses, isTyped })
  if (!isConfirmed) return
  await writeResults(run, flags, { ...addresses, isOne }, validateOnline(run, client, flags, addresses.unique))
}

/** False for a dry run, which ends here. */
async function confirmPrice(run: Run, client: Probity, flags: Flags, addresses: Addresses & { isTyped: boolean }) {
  const { unique, duplicateCount, isTyped } = addresses
  const credits = getKey(run.settings).mode === 'test' ? 0 : unique.length
  const counts = { rows: unique.length + duplicateCount, unique: unique.length, credits }
  const isFree = credits === 0 || (isTyped && flags.maxCredits === undefined)
  if (isFree && !flags.dryRun) return true
  const price = { ...counts, ...(await findBalance(run, client)) }
  if (flags.dryRun) await run.output.writeOne(presentPrice(price), () => formatPrice(price))
  else await confirmCost(run, price, flags)
  return !flags.dryRun
}

function validateOnline(run: Run, client: Probity, flags: Flags, emails: string[]): AsyncIterable<ShownResult> {
  const { timeout, policy } = flags
  const options = { signal: run.signal, policy }
  if (emails.length <= SINGLES_MAX) {
    const waitSeconds = timeout === undefined ? undefined : Math.min(timeout, SINGLE_TIMEOUT_MAX_S)
    return mapInOrder(emails, SINGLES_CONCURRENCY, (email) => client.validate(email, { ...options, waitSeconds }))
  }
  const { format } = run.output
  if (format === 'json' || format === 'jsonl') {
    run.terminal.note(`More than ${SINGLES_MAX} addresses are validated in bulk: the results contain no evidence.`)
  }
  return validateInBulk(client, emails, { ...options, waitSeconds: timeout })
}

async function* validateInBulk(client: Probity, emails: string[], options: ValidateBulkOptions) {
  for (let from = 0; from < emails.length; from += BULK_LENGTH) {
    const { results } = await client.validateBulk(emails.slice(from, from + BULK_LENGTH), options)
    yield* results
  }
}

/** The engine and its domain lists are loaded only for this. */
async function validateOffline({ dns }: Flags, emails: string[]): Promise<AsyncIterable<ShownResult>> {
  const { openOffline } = await import('../offline.ts')
  return mapInOrder(emails, OFFLINE_CONCURRENCY, openOffline(dns))
}

type Written = { unique: string[]; isOne: boolean }

async function writeResults(run: Run, flags: Flags, { unique, isOne }: Written, results: AsyncIterable<ShownResult>) {
  const total = unique.length
  const counts = new Map<string, number>()
  const count = ({ status, sub_status }: ShownResult) => {
    for (const name of [status, sub_status]) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const view = await openResultView(flags)
  const counted = countResults(run, results, { total, count })
  if (isOne && run.output.format !== 'table' && run.output.format !== 'csv') {
    for await (const result of counted) await run.output.writeOne(result, () => '')
  } else await run.output.writeAll(counted, view)
  checkFailOn(flags.failOn, { total, counts })
}

type Counter = { total: number; count(result: ShownResult): void }

/** Counts results as they pass, and shows the progress of many. */
async function* countResults({ terminal }: Run, results: AsyncIterable<ShownResult>, { total, count }: Counter) {
  const progress = total > SINGLES_MAX ? await openProgress(terminal) : undefined
  let done = 0
  try {
    progress?.show({ done, total })
    for await (const result of results) {
      count(result)
      yield result
      progress?.show({ done: ++done, total })
    }
  } finally {
    progress?.stop()
  }
}

function readTimeout(text: string): number {
  if (!/^([1-9]|[1-4]\d|5[0-5])$/.test(text))
    throw new InvalidArgumentError('Must be a number of seconds from 1 to 55.')
  return Number(text)
}

type Addresses = {
  /** Without duplicates, as first written, in the order of the input. */
  unique: string[]
  duplicateCount: number
}

/** Larger lists are uploaded as a job, which continues without this process. */
const ADDRESSES_MAX = 10_000
/** The limit of the service. */

/** The addresses of the command line, and those of standard input for `-` or if there are no arguments and input is piped. */
async function readAddresses({ terminal, signal }: Run, args: readonly string[]): Promise<Addresses> {
  const { stdin } = terminal
  const isPiped = args.includes('-') || (args.length === 0 && !stdin.isTTY)
  const emails = args.filter((one) => one !== '-')
  if (isPiped) {
    for await (const line of createInterface({ input: stdin, signal })) {
      if (line.trim() !== '') emails.push(line.trim())
      if (emails.length > ADDRESSES_MAX) break
    }
  }
  signal.throwIfAborted()
  checkAddresses(emails)
  return dropDuplicates(emails)
}

function checkAddresses(emails: readonly string[]): void {
  if (emails.length === 0) throw new CliError('usage', 'No address to validate.', 'probity validate ada@example.com')
  if (emails.length > ADDRESSES_MAX) {
    throw new CliError(
      'input',
      'More than 10,000 addresses. Save them as a CSV or XLSX file and create a job.',
      'probity clean FILE -o OUT',
    )
  }
}

/** With the rules of the service, so that the displayed price is correct. */
async function dropDuplicates(emails: string[]): Promise<Addresses> {
  if (emails.length === 1) return { unique: emails, duplicateCount: 0 }
  const { dedupeKey } = await import('@probity/engine/address/dedupe-key')
  const first = new Map<string, string>()
  for (const email of emails) {
    const key = dedupeKey(email)
    if (!first.has(key)) first.set(key, email)
  }
  return { unique: [...first.values()], duplicateCount: emails.length - first.size }
}

/** Maps items with bounded concurrency and yields the results in the order of the items. The first failure ends it. */
export async function* mapInOrder<T, R>(
  items: readonly T[],
  concurrency: number,
  map: (item: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const running: Promise<R>[] = []
  let next = 0
  const startNext = () => {
    const item = items[next++]
    if (item === undefined) return
    const result = map(item)
    // It may fail while an earlier one is awaited; the failure is thrown in its turn.
    result.catch(() => undefined)
    running.push(result)
  }
  while (next < Math.min(concurrency, items.length)) startNext()
  for (let result = running.shift(); result !== undefined; result = running.shift()) {
    yield await result
    startNext()
  }
}
