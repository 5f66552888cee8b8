import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** The record of one connection to a mail server of the lab. */
export type SessionRecord = {
  server: string
  verbs: string[]
  /** Recipients that the server rejected. */
  refused: number
  /** Rejected recipients that it tolerates; null when the server has no limit that a client must respect. */
  errorsMax: number | null
}

/** All allowed SMTP verbs. DATA is excluded: Probity never sends a message to a probed server. */
const MAY_SAY = new Set(['EHLO', 'HELO', 'STARTTLS', 'MAIL', 'RCPT', 'RSET', 'QUIT'])

/** Records a session when the test run keeps records. */
export function recordSession(session: SessionRecord): void {
  const file = process.env['PROBITY_SMTP_RECORD']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(session)}\n`)
}

/** Sessions with a forbidden verb or with more rejected recipients than the server tolerates. */
export function listMisconduct(file: string): string[] {
  if (!existsSync(file)) return []
  const sessions = readFileSync(file, 'utf8').trim().split('\n').filter(Boolean)
  return sessions.flatMap((text) => {
    const { server, verbs, refused, errorsMax } = JSON.parse(text) as SessionRecord
    const said = verbs.filter((verb) => !MAY_SAY.has(verb)).map((verb) => `${server} was sent ${verb}`)
    const over = errorsMax !== null && refused > errorsMax
    return over ? [...said, `${server} refused ${refused} recipients on one connection and bears ${errorsMax}`] : said
  })
}
