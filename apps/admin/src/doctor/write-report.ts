import { DOCTOR_STATUSES, type DoctorStatus } from '@probity/contract/constants/operators'
import type { DoctorFinding } from '@probity/contract/schemas/operators'

const WORDS: Record<DoctorStatus, string> = { fail: 'FAIL', warn: 'WARN', unknown: '????', pass: 'ok' }

/** The report for a terminal: one line per passed check, all details of the others. */
export function writeReport(findings: DoctorFinding[], origin: string): string {
  const parts = findings.map((finding) =>
    finding.status === 'pass' ? writeLine(finding) : writeInFull(finding, origin),
  )
  return `${parts.join('\n')}\n\n${writeSum(findings)}\n`
}

function writeLine({ status, id, subject, saw }: DoctorFinding): string {
  return `${WORDS[status].padEnd(5)} ${id}${subject && ` (${subject})`}: ${saw}`
}

function writeInFull(finding: DoctorFinding, origin: string): string {
  const { why, fix, docs } = finding
  const lines = [writeLine(finding), `      Why: ${why}`]
  if (fix) lines.push(`      Fix: ${fix.says}`, ...fix.lines.map((line) => `           ${line}`))
  return [...lines, `      See: ${origin}${docs}`, ''].join('\n')
}

function writeSum(findings: DoctorFinding[]): string {
  const counts = DOCTOR_STATUSES.map((status) => {
    const count = findings.filter((finding) => finding.status === status).length
    return `${count} ${status}`
  })
  return `${findings.length} findings: ${counts.join(', ')}.`
}
