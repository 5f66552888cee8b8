import { BEHAVIOURS } from '@probity/lab/simulation/data/behaviours'
import { HARD_BEHAVIOURS, WORLDS, type World } from '@probity/lab/simulation/data/worlds'
import type { Expectation } from '@probity/lab/simulation/expected'
import type { MailPopulation, SimulatedAddress } from '@probity/lab/simulation/population'
import type { Answer, Verdict } from './libraries/drive.ts'

/** An address, its expected verdict and the verdict of a validator. */
export type Judged = SimulatedAddress & { expected: Expectation; answer: Answer }

const VERDICTS: Verdict[] = ['valid', 'invalid', 'risky', 'unknown']

/** A missing result counts as unknown. */
export function judgeAll(
  simulation: MailPopulation,
  addresses: SimulatedAddress[],
  answers: Map<string, Answer>,
): Judged[] {
  return addresses.map((address) => ({
    ...address,
    expected: simulation.expected(address.email),
    answer: answers.get(address.email) ?? { verdict: 'unknown', evidence: 'no answer' },
  }))
}

/** The world of an address; undefined for one of the list. */
function findWorld({ behaviour }: SimulatedAddress): World | undefined {
  const hard: Partial<Record<SimulatedAddress['behaviour'], { world: keyof typeof WORLDS }>> = HARD_BEHAVIOURS
  const name = hard[behaviour]?.world
  return name === undefined ? undefined : WORLDS[name]
}

/**
 * The errors that are counted. A full mailbox exists; one that is disabled or has moved accepts no mail. In a world no missing address may
 * be valid, whatever its servers say, and the limit of unknown results is that of the world.
 */
const FAULTS: Record<Fault, (judged: Judged) => boolean> = {
  false_invalid: ({ exists, answer }) => answer.verdict === 'invalid' && isThere(exists),
  false_valid_truthful: (judged) =>
    judged.answer.verdict === 'valid' &&
    !isThere(judged.exists) &&
    (judged.expected.truthful || findWorld(judged) !== undefined),
  avoidable_unknown: (judged) =>
    judged.answer.verdict === 'unknown' && judged.expected.knowable && !mayBeUnknown(judged),
}

export type Fault = 'false_invalid' | 'false_valid_truthful' | 'avoidable_unknown'

function mayBeUnknown(judged: Judged): boolean {
  return (findWorld(judged)?.unknownMax ?? 0) > 0
}

function isThere(exists: SimulatedAddress['exists']): boolean {
  return exists === 'yes' || exists === 'full'
}

function findFaults(judged: Judged[]): Record<Fault, Judged[]> {
  return {
    false_invalid: judged.filter(FAULTS.false_invalid),
    false_valid_truthful: judged.filter(FAULTS.false_valid_truthful),
    avoidable_unknown: judged.filter(FAULTS.avoidable_unknown),
  }
}

export function countFaults(judged: Judged[]): Record<Fault, number> {
  const { false_invalid, false_valid_truthful, avoidable_unknown } = findFaults(judged)
  return {
    false_invalid: false_invalid.length,
    false_valid_truthful: false_valid_truthful.length,
    avoidable_unknown: avoidable_unknown.length,
  }
}

/** Results whose status or sub_status is not among the expected ones. */
export function findUnexpected(judged: Judged[]): Judged[] {
  return judged.filter((one) => {
    const { answer, expected } = one
    const right = expected.verdicts.map(({ status, subStatus }) => nameOf(status, subStatus))
    const isLeftOpen = answer.verdict === 'unknown' && mayBeUnknown(one)
    return !isLeftOpen && !right.includes(nameOf(answer.verdict, answer.subStatus))
  })
}

const TRUTHS: Record<SimulatedAddress['exists'], string> = {
  yes: 'exists',
  full: 'full',
  no: 'absent',
  disabled: 'disabled',
  moved: 'moved',
}

/** The row label of an address: its real state, marked when it cannot be known without sending a message. */
function truthOf({ exists, expected }: Judged): string {
  return expected.knowable ? TRUTHS[exists] : `${TRUTHS[exists]}, undecidable`
}

const ROWS = ['', ', undecidable'].flatMap((suffix) => Object.values(TRUTHS).map((truth) => `${truth}${suffix}`))

const NAMES = [...Object.keys(BEHAVIOURS), 'broken', ...Object.keys(HARD_BEHAVIOURS)] as SimulatedAddress['behaviour'][]

/** The confusion matrix of each behavior, and of all. */
export function writeMatrix(judged: Judged[]): string {
  const behaviours = Object.groupBy(judged, ({ behaviour }) => behaviour)
  const groups = [...NAMES.map((name) => [name, behaviours[name] ?? []] as const), ['in all', judged] as const]
  const lines = groups.flatMap(([name, group]) => rowsOf(group).map(([truth, cells]) => [name, truth, ...cells]))
  return writeTable([['behaviour', 'truth', ...VERDICTS], ...lines])
}

/** The total matrices of several validators for the same addresses, side by side. */
export function writeSideBySide(validators: Record<string, Judged[]>): string {
  const matrices = Object.entries(validators).map(([name, judged]) => [name, new Map(rowsOf(judged))] as const)
  const [first] = matrices
  const truths = [...(first?.[1].keys() ?? [])]
  const lines = truths.flatMap((truth) => matrices.map(([name, rows]) => [truth, name, ...(rows.get(truth) ?? [])]))
  return writeTable([['truth', 'asked', ...VERDICTS], ...lines])
}

/** The errors of several validators for the same addresses, by behavior. */
export function writeFaultsByBehaviour(validators: Record<string, Judged[]>): string {
  const found = Object.values(validators).map(findFaults)
  const rows = (Object.keys(FAULTS) as Fault[]).flatMap((fault) =>
    NAMES.map((name) => [
      fault,
      name,
      ...found.map((faults) => String(faults[fault].filter(({ behaviour }) => behaviour === name).length)),
    ]),
  )
  const atFault = rows.filter(([, , ...counts]) => counts.some((count) => count !== '0'))
  return writeTable([['fault', 'behaviour', ...Object.keys(validators)], ...atFault])
}

function rowsOf(judged: Judged[]): [string, string[]][] {
  const groups = Object.groupBy(judged, truthOf)
  return ROWS.flatMap((truth) => {
    const group = groups[truth]
    if (group === undefined) return []
    return [[truth, VERDICTS.map((verdict) => String(group.filter(({ answer }) => answer.verdict === verdict).length))]]
  })
}

/** Text is aligned left, numbers right. */
export function writeTable(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const pad = (cell: string, column: number) =>
    column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart((widths[column] ?? 0) + 1)
  return rows.map((row) => `${row.map(pad).join(' ')}\n`).join('')
}

const SHOWN_MAX = 20

/** A sample of the errors with their evidence, enough to fix them. */
export function describeFaults(judged: Judged[], others: Record<string, Judged[]> = {}): string {
  const faults = { ...findFaults(judged), unexpected: findUnexpected(judged), ...others }
  return Object.entries(faults)
    .map(([fault, found]) => `${fault}: ${found.length}\n${found.slice(0, SHOWN_MAX).map(describe).join('')}`)
    .join('')
}

function describe({ email, exists, behaviour, expected, answer }: Judged): string {
  const right = expected.verdicts.map(({ status, subStatus }) => nameOf(status, subStatus)).join(' or ')
  const said = nameOf(answer.verdict, answer.subStatus)
  return `  ${email} (${behaviour}, ${TRUTHS[exists]}): ${said} instead of ${right}. ${answer.evidence ?? ''}\n`
}

function nameOf(status: string, subStatus = ''): string {
  return subStatus === '' ? status : `${status} ${subStatus}`
}
