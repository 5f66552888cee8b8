import { type Answer, drive } from './drive.ts'
import { loadPeer, readTask } from './library.ts'

type Found = {
  validFormat: boolean
  validMx: boolean | null
  validSmtp: boolean | null
  isDisposable: boolean
  isCatchAll?: boolean
  hasFullInbox?: boolean
  metadata: { error?: string }
}
type Peer = {
  verifyEmail(params: { emailAddress: string; verifyMx: true; verifySmtp: true; smtpPort: number }): Promise<Found>
  getDefaultCache(): { domainValid: { set(domain: string, found: object): void } }
}

const task = readTask()
const { verifyEmail, getDefaultCache } = loadPeer<Peer>('@emailcheck/email-validator-js', task.folder)
drive(ask, task)

/**
 * As in its quick start, with its own time limit. The port is set because by default it also tries others, on which the
 * mail hosts do not listen. It has no setting for the sender here.
 */
async function ask(email: string): Promise<Answer> {
  trustDomain(email.slice(email.lastIndexOf('@') + 1))
  const found = await verifyEmail({ emailAddress: email, verifyMx: true, verifySmtp: true, smtpPort: 25 })
  return { verdict: read(found), evidence: JSON.stringify(found) }
}

/**
 * It rejects domains whose suffix is not on the public suffix list, such as `example`. This affects no real domain, so
 * its cache is filled with these domains as valid.
 */
function trustDomain(domain: string): void {
  if (!domain.toLowerCase().endsWith('.example')) return
  getDefaultCache().domainValid.set(domain, { isValid: true, hasMX: false, checkedAt: Date.now() })
}

/**
 * Its documentation defines `null` as a server that could not be probed. Flags for doubts have priority over an invalid
 * result.
 */
function read(found: Found): Answer['verdict'] {
  const { validFormat, validMx, validSmtp, isDisposable, isCatchAll, hasFullInbox, metadata } = found
  if (!validFormat || validMx === false || metadata.error === 'INVALID_DOMAIN') return 'invalid'
  if (isDisposable || isCatchAll || hasFullInbox) return 'risky'
  if (validSmtp === null) return 'unknown'
  return validSmtp ? 'valid' : 'invalid'
}
