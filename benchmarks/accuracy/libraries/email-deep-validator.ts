import { type Answer, drive } from './drive.ts'
import { loadPeer, readTask } from './library.ts'

type Found = { wellFormed: boolean; validDomain: boolean | null; validMailbox: boolean | null }
type Peer = new () => { verify(email: string): Promise<Found> }

const task = readTask()
const EmailValidator = loadPeer<Peer>('email-deep-validator', task.folder)
const validator = new EmailValidator()
drive(ask, task)

/** With its defaults: it probes mailboxes with a limit of ten seconds. It has no setting for the sender. */
async function ask(email: string): Promise<Answer> {
  const found = await validator.verify(email)
  return { verdict: read(found), evidence: JSON.stringify(found) }
}

/** Its documentation defines `null` as undetermined, so it does not count as invalid. */
function read({ wellFormed, validDomain, validMailbox }: Found): Answer['verdict'] {
  if (!wellFormed || validDomain === false || validMailbox === false) return 'invalid'
  return validMailbox ? 'valid' : 'unknown'
}
