import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** What one connection to a mail server of the lab was sent. */
export type SessionRecord = {
  server: string
  verbs: string[]
  /** Recipients that the server refused. */
  refused: number
  /** How many it bears; null where the server has no limit worth keeping to. */
  errorsMax: number | null
}

/** All that may ever be said to a mail server. DATA is not in it, and never will be. */
const MAY_SAY = new Set(['EHLO', 'HELO', 'STARTTLS', 'MAIL', 'RCPT', 'RSET', 'QUIT'])

/** Notes a session where the run of the suites keeps its records, if it keeps any. */
export function recordSession(session: SessionRecord): void {
  const file = process.env['PROBITY_SMTP_RECORD']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(session)}\n`)
}

/** Sessions in which something was said that must not be, or more recipients were refused than the server bears. */
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
