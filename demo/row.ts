import type { ValidationResult } from '@probity/contract/schemas/validations/single'

const ADDRESS = 38
const STATUS = 7
const REASON = 21
const CODE = 4
const TIME = 6

export const HEADING = layOut('address', 'status', 'sub_status', 'code', 'ms', 'evidence')

/** One result as a table row, truncated to the terminal width. */
export function describeResult(result: ValidationResult, width: number): string {
  const { email, status, sub_status: reason, details, performance } = result
  const code = details.smtp_code === 0 ? '' : String(details.smtp_code)
  const line = layOut(email, status, reason, code, String(performance.response_time_ms), findTelling(result))
  return line.length > width ? `${line.slice(0, width - 1)}…` : line
}

function layOut(address: string, status: string, reason: string, code: string, ms: string, told: string): string {
  const cells = [address.padEnd(ADDRESS), status.padEnd(STATUS), reason.padEnd(REASON), code.padStart(CODE)]
  return [...cells, ms.padStart(TIME), ` ${told}`].join(' ')
}

/** The check that decided the verdict, for reasons that the RCPT reply does not explain. */
const TELLING: Record<string, string> = { catch_all: 'catch_all', disposable: 'domain_class' }

/** The most informative evidence item: the reply to RCPT if there is one. */
function findTelling({ sub_status: reason, evidence, did_you_mean: meant }: ValidationResult): string {
  const checks = [TELLING[reason] ?? 'recipient', 'mx', 'syntax']
  const [item] = checks.flatMap((check) => evidence.find((one) => one.check === check) ?? [])
  const detail = item?.detail.replace(/^Host: \S+\. /, '') ?? ''
  const told = item?.check === 'recipient' ? (readReply(item.detail) ?? detail) : detail
  return meant === null ? told : `${told} Did you mean ${meant}?`
}

/** The reply to RCPT, as quoted in the evidence. */
export function readReply(detail: string): string | undefined {
  return /RCPT TO: “(.+?)”/.exec(detail)?.[1]
}
