import type { Reply } from './reply.ts'

/** What a server said it can do, and what kind of server it shows itself to be. */
export type Offers = {
  pipelining: boolean
  starttls: boolean
  utf8: boolean
  /** Limits that the server declares (RFC 9422); Infinity where it declares none. */
  limits: { recipients: number; transactions: number; domains: number }
}

/** Kinds of servers that we know by their greeting. Who is what decides how many mistakes it bears. */
export type Family = 'postfix' | 'exim' | 'exchange' | 'opensmtpd' | 'haraka' | 'unknown'

/** After HELO nothing is offered. */
export const NO_OFFERS: Offers = {
  pipelining: false,
  starttls: false,
  utf8: false,
  limits: {
    recipients: Number.POSITIVE_INFINITY,
    transactions: Number.POSITIVE_INFINITY,
    domains: Number.POSITIVE_INFINITY,
  },
}

/** Reads the reply to EHLO. Its first line greets; each further one is a keyword with parameters (RFC 5321 §4.1.1.1). */
export function readOffers(reply: Reply): Offers {
  const words = reply.lines.slice(1).map((line) => line.trim().toUpperCase().split(/\s+/))
  const has = (keyword: string) => words.some(([first]) => first === keyword)
  const declared = words.find(([first]) => first === 'LIMITS')?.slice(1) ?? []
  return {
    pipelining: has('PIPELINING'),
    starttls: has('STARTTLS'),
    utf8: has('SMTPUTF8'),
    limits: {
      recipients: limitIn(declared, 'RCPTMAX'),
      transactions: limitIn(declared, 'MAILMAX'),
      domains: limitIn(declared, 'RCPTDOMAINMAX'),
    },
  }
}

/** RFC 9422 §4: a number of one to six digits, not zero. What is written otherwise is no limit. */
function limitIn(declared: string[], name: string): number {
  const value = declared.find((item) => item.startsWith(`${name}=`))?.slice(name.length + 1) ?? ''
  return /^[1-9]\d{0,5}$/.test(value) ? Number(value) : Number.POSITIVE_INFINITY
}

export function familyOf(banner: Reply): Family {
  const text = banner.lines.join(' ')
  return FAMILIES.find(([, mark]) => mark.test(text))?.[0] ?? 'unknown'
}

const FAMILIES: [Family, RegExp][] = [
  ['postfix', /\bpostfix\b/i],
  ['exim', /\bexim\b/i],
  ['exchange', /microsoft esmtp mail service/i],
  ['opensmtpd', /\bopensmtpd\b/i],
  ['haraka', /\bharaka\b/i],
]
