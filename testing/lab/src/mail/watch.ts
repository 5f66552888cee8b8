import { recordSession, type SessionRecord } from '../smtp/record.ts'

const VERB_LENGTH_MAX = 20
const LINE_LENGTH_MAX = 4_096

type Side = (chunk: Buffer) => void

/** Follows an SMTP connection until it is encrypted: the verbs sent, and the rejected recipients. */
export function watchSession({ server, errorsMax }: Pick<SessionRecord, 'server' | 'errorsMax'>) {
  const verbs: string[] = []
  const unanswered: string[] = [''] // the banner replies to no command
  let refused = 0
  let encrypted = false

  const sent = eachLine((line) => {
    const verb = (/^[a-z]+/i.exec(line)?.[0] ?? line).slice(0, VERB_LENGTH_MAX).toUpperCase()
    verbs.push(verb)
    unanswered.push(verb)
  })
  const answered = eachLine((line) => {
    if (line[3] === '-') return // more lines of this reply follow
    const verb = unanswered.shift()
    if (verb === 'RCPT' && !line.startsWith('2')) refused += 1
    if (verb === 'STARTTLS' && line.startsWith('2')) encrypted = true
  })
  const unlessEncrypted = (read: Side) => (chunk: Buffer) => (encrypted ? undefined : read(chunk))
  return {
    fromClient: unlessEncrypted(sent),
    fromServer: unlessEncrypted(answered),
    end: () => recordSession({ server, verbs, refused, errorsMax }),
  }
}

/** Commands may arrive in one segment, and a reply in several. */
function eachLine(take: (line: string) => void): Side {
  let rest = ''
  return (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\r\n')
    rest = (lines.pop() ?? '').slice(0, LINE_LENGTH_MAX)
    for (const line of lines) take(line)
  }
}
