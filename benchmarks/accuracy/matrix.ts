import { BEHAVIOURS, type BehaviourName } from '@probity/lab/simulation/data/behaviours'
import type { Expectation } from '@probity/lab/simulation/expected'
import type { MailPopulation, SimulatedAddress } from '@probity/lab/simulation/population'
import type { Answer, Verdict } from './libraries/drive.ts'

/** An address, what is true of it, and what was said of it. */
export type Judged = SimulatedAddress & { expected: Expectation; answer: Answer }

const VERDICTS: Verdict[] = ['valid', 'invalid', 'risky', 'unknown']

/** Who gave no answer knows nothing. */
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

/** The faults that are counted. A mailbox that is full is there; one that is disabled or has moved takes no mail. */
const FAULTS: Record<Fault, (judged: Judged) => boolean> = {
  false_invalid: ({ exists, answer }) => answer.verdict === 'invalid' && isThere(exists),
  false_valid_truthful: ({ exists, answer, expected }) =>
    answer.verdict === 'valid' && !isThere(exists) && expected.truthful,
  avoidable_unknown: ({ answer, expected }) => answer.verdict === 'unknown' && expected.knowable,
}

export type Fault = 'false_invalid' | 'false_valid_truthful' | 'avoidable_unknown'

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

/** Answers that are not among those that somebody who makes no mistake may give, to the last word. */
export function findUnexpected(judged: Judged[]): Judged[] {
  return judged.filter(({ answer, expected }) => {
    const right = expected.verdicts.map(({ status, subStatus }) => nameOf(status, subStatus))
    return !right.includes(nameOf(answer.verdict, answer.subStatus))
  })
}

const TRUTHS: Record<SimulatedAddress['exists'], string> = {
  yes: 'exists',
  full: 'full',
  no: 'absent',
  disabled: 'disabled',
  moved: 'moved',
}

/** Where nobody can know without sending a message, the truth is there all the same, and so says the row. */
function truthOf({ exists, expected }: Judged): string {
  return expected.knowable ? TRUTHS[exists] : `${TRUTHS[exists]}, undecidable`
}

const ROWS = ['', ', undecidable'].flatMap((suffix) => Object.values(TRUTHS).map((truth) => `${truth}${suffix}`))

const NAMES = [...(Object.keys(BEHAVIOURS) as BehaviourName[]), 'broken'] as const

/** The confusion matrix of each behaviour, and of all. */
export function writeMatrix(judged: Judged[]): string {
  const behaviours = Object.groupBy(judged, ({ behaviour }) => behaviour)
  const groups = [...NAMES.map((name) => [name, behaviours[name] ?? []] as const), ['in all', judged] as const]
  const lines = groups.flatMap(([name, group]) => rowsOf(group).map(([truth, cells]) => [name, truth, ...cells]))
  return writeTable([['behaviour', 'truth', ...VERDICTS], ...lines])
}

/** The matrices in all of several who were asked for the same addresses, side by side. */
export function writeSideBySide(askers: Record<string, Judged[]>): string {
  const matrices = Object.entries(askers).map(([name, judged]) => [name, new Map(rowsOf(judged))] as const)
  const [first] = matrices
  const truths = [...(first?.[1].keys() ?? [])]
  const lines = truths.flatMap((truth) => matrices.map(([name, rows]) => [truth, name, ...(rows.get(truth) ?? [])]))
  return writeTable([['truth', 'asked', ...VERDICTS], ...lines])
}

/** Where each of several who were asked for the same addresses went wrong. */
export function writeFaultsByBehaviour(askers: Record<string, Judged[]>): string {
  const found = Object.values(askers).map(findFaults)
  const rows = (Object.keys(FAULTS) as Fault[]).flatMap((fault) =>
    NAMES.map((name) => [
      fault,
      name,
      ...found.map((faults) => String(faults[fault].filter(({ behaviour }) => behaviour === name).length)),
    ]),
  )
  const atFault = rows.filter(([, , ...counts]) => counts.some((count) => count !== '0'))
  return writeTable([['fault', 'behaviour', ...Object.keys(askers)], ...atFault])
}

function rowsOf(judged: Judged[]): [string, string[]][] {
  const groups = Object.groupBy(judged, truthOf)
  return ROWS.flatMap((truth) => {
    const group = groups[truth]
    if (group === undefined) return []
    return [[truth, VERDICTS.map((verdict) => String(group.filter(({ answer }) => answer.verdict === verdict).length))]]
  })
}

/** Words to the left, numbers to the right. */
export function writeTable(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const pad = (cell: string, column: number) =>
    column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart((widths[column] ?? 0) + 1)
  return rows.map((row) => `${row.map(pad).join(' ')}\n`).join('')
}

const SHOWN_MAX = 20

/** Enough of what is wrong, and of what it rests on, to mend it by. */
export function describeFaults(judged: Judged[]): string {
  const faults = { ...findFaults(judged), unexpected: findUnexpected(judged) }
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
