import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { WORLDS, type World } from '@probity/lab/simulation/data/worlds'
import { watchStolenTime } from '@probity/lab/steal-time'
import { type PerRow, writeSums } from './capacity.ts'
import { COMMANDS, ROWS, type Row } from './data/table.ts'
import { PRODUCT_ONLY_NAMES } from './product-only.ts'

const KEPT = join(import.meta.dirname, 'kept')
const PAGE = join(import.meta.dirname, '../../docs/benchmarks.md')
const SCALE = join(import.meta.dirname, '../../docs/scale.md')

/** The output of a benchmark with date and machine. */
type Kept = {
  date: string
  machine: string
  /** The share of CPU time that other virtual machines on the same host took (steal time). */
  stolen: number
  arguments: string[]
  figures: Record<string, unknown>
}

const stolen = watchStolenTime()

/** Stores the output of a command and rewrites the page. */
export function keepFigures(bench: string, args: string[], figures: object): void {
  const kept: Kept = {
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    stolen: Math.round(stolen() * 100) / 100,
    arguments: args,
    figures: { ...figures },
  }
  mkdirSync(KEPT, { recursive: true })
  writeFileSync(join(KEPT, `${bench}.json`), `${JSON.stringify(kept, undefined, 2)}\n`)
  writeFileSync(PAGE, writePage())
  writeFileSync(SCALE, writeScale(readFileSync(SCALE, 'utf8')))
}

function describeMachine(): string {
  const [{ model } = { model: 'a processor' }] = cpus()
  const system = /PRETTY_NAME="([^"]+)"/.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? process.platform
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} × ${model.trim()}, ${gigabytes} GB, ${system}, Node ${process.versions.node}`
}

function readKept(bench: string): Kept | undefined {
  const path = join(KEPT, `${bench}.json`)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Kept) : undefined
}

/** The page with the stored figures. */
export function writePage(): string {
  const benches = [...new Set(ROWS.map(({ bench }) => bench))]
  const machines = benches.map((bench) => {
    const kept = readKept(bench)
    const command = ['pnpm', commandOf(bench), ...(kept?.arguments ?? [])].join(' ')
    if (kept === undefined) return `| \`${command}\` | not measured yet | | |`
    return `| \`${command}\` | ${kept.date} | ${kept.machine} | ${Math.round(kept.stolen * 100)} % |`
  })
  return `# Benchmarks

This page lists the measured performance of Probity.
The command in the last column prints each figure; with \`--keep\` it stores the figure and rewrites this page, and a test compares the page with the stored figures.
All parts run on one machine: the API, workers, databases, simulated mail servers and clients.
Absolute figures therefore say little about other machines.
Ratios are more portable, because both sides are measured in one run.
On a shared machine, figures differ by up to a third between runs; the second table has the CPU time that other virtual machines took (steal time).

| figure | measured | goal | reached | ratio to the bare limit | command |
|---|---|---|---|---|---|
${ROWS.map(writeRow).join('\n')}

## Date and machine

| command | date | machine | steal time |
|---|---|---|---|
${machines.join('\n')}

## Definitions

\`bench single\` compares the product with two bare servers in the same run: Fastify with one call to Redis (\`bare_rps\`, \`recent_ratio\`, \`queued_ratio\`), and the same with one durable charge for each group of requests before their responses (\`bare_durable_rps\`, \`recent_ratio_durable\`).

\`bench list\` measures the cost of a row from the confirmation of the list until its results are stored in row order: CPU time (\`pg_us_per_row\`, and \`worker_us_per_row\` for all workers together), WAL (\`wal_bytes_per_row\`), and the growth of the tables and indexes of results (\`stored_bytes_per_result\`).
\`allocated_bytes_per_result\` also counts empty pages, which later results fill.
The bare limit of \`ratio_to_bare\` is the sum of three times: reading the file, probing without any limits, and COPY of one full JSON row per address (\`bare_seconds.copy\`).
\`bare_seconds.copy_chunks\` is the time to compress the same rows in chunks of 100 (zstd, level 3) and to COPY the chunks instead.

${describeAccuracy()}

\`pnpm bench confidence\` measures the calibration of deliverability.
[The model card](model-card.md) has the figures.

## Comparison with a commit

\`pnpm bench compare NAME --base COMMIT\` compares the work tree with a commit.
NAME is one of: ${PRODUCT_ONLY_NAMES.join(', ')}.
The command unpacks the commit next to the work tree, installs its packages from the store, and runs the benchmark with \`--product-only\` on both sides alternately (A B B A …), five pairs by default (\`--pairs\`).
For each rate and each cost it prints the median of the ratios work tree / commit (\`ratio\`) and an interval (\`low\` to \`high\`).
With five pairs or more, the interval contains the true median with a probability of at least 90 %.
From eight pairs on, it leaves out the extremes and becomes narrower.
The last line is JSON.
\`--field FIELD\` selects fields, parts of a total and tail latencies among them.

"Not worse by more than 10 %" means: for every rate, \`high\` is at least 0.9, and for every cost, \`low\` is at most 1.1.
The exit code is 1 if a field fails this rule.
`
}

function describeAccuracy(): string {
  return `\`bench accuracy\` validates a list of simulated addresses whose real state is known, and then the addresses of the worlds below.
A world has 20 or 30 domains of 25 addresses whose mail servers or resolver mislead a validator; of these addresses 20 % are missing, or all where no host knows the domain.
Each world has a new simulation and an engine that has learned nothing.
With two rounds, the engine knows in the second what it learned in the first, which has existing addresses only.
\`worlds\` has the figures of each world; \`--world NAME\` measures one, or all whose names begin with NAME.
\`false_invalid\`, \`false_valid_truthful\` and \`unexpected\` are sums over the list and all worlds.
In a world a missing address must never be valid, whatever its servers reply.
\`unknown\` is a share of the addresses, and \`avoidable_unknown\` counts in a world only what exceeds its limit.
\`rcpt_per_address\` counts all RCPT commands that the servers received, control recipients included.
\`foreign_evidence\` counts results that quote a reply which no server gave to this very recipient: the simulated servers record their replies.
The other validators get 1,000 addresses of the list and 1,000 of the worlds, except those in which the resolver lies about all names (\`worlds_left_out\`).

| world | simulates | rounds | unknown ≤ | RCPT per address ≤ |
|---|---|---|---|---|
${Object.entries(WORLDS).map(writeWorld).join('\n')}`
}

function writeWorld([name, { about, rounds, unknownMax, rcptPerAddressMax }]: [string, World]): string {
  return `| \`${name}\` | ${about} | ${rounds ?? 1} | ${Math.round(unknownMax * 1_000) / 10} % | ${rcptPerAddressMax} |`
}

const SUMS = /(?<=<!-- sums -->\n)[\s\S]*(?=<!-- end of sums -->)/

/** The scale page with recalculated figures. */
export function writeScale(page: string): string {
  const perRow = readKept('scale')?.figures['per_row']
  return page.replace(SUMS, perRow === undefined ? '' : `\n${writeSums(perRow as PerRow)}\n\n`)
}

function writeRow({ bench, figure, says, goal, bare }: Row): string {
  const kept = readKept(bench)
  const value = kept?.figures[figure]
  const isKnown = typeof value === 'number'
  const ratio = bare && 'ratio' in bare ? kept?.figures[bare.ratio] : undefined
  const cells = [
    says,
    isKnown ? sayNumber(value) : 'not yet',
    goal === undefined ? '' : 'atMost' in goal ? `≤ ${sayNumber(goal.atMost)}` : `≥ ${sayNumber(goal.atLeast)}`,
    goal === undefined || !isKnown ? '' : isReached(value, goal) ? 'yes' : 'no',
    bare === undefined ? '' : 'why' in bare ? bare.why : typeof ratio === 'number' ? sayNumber(ratio) : 'not yet',
    `\`${commandOf(bench)}\`: \`${figure}\``,
  ]
  return `| ${cells.join(' | ')} |`
}

const commandOf = (bench: string) => COMMANDS[bench] ?? `bench ${bench}`

function isReached(value: number, goal: NonNullable<Row['goal']>): boolean {
  return 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast
}

function sayNumber(value: number): string {
  return value.toLocaleString('en-GB', { maximumFractionDigits: value < 10 ? 3 : 0 })
}
