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
 * As its quick start has it, and with its own time limit. It is told the port, since by itself it tries others too, where mail
 * hosts do not listen. It has no setting for the sender here.
 */
async function ask(email: string): Promise<Answer> {
  trustDomain(email.slice(email.lastIndexOf('@') + 1))
  const found = await verifyEmail({ emailAddress: email, verifyMx: true, verifySmtp: true, smtpPort: 25 })
  return { verdict: read(found), evidence: JSON.stringify(found) }
}

/**
 * It takes no domain whose ending is not on the public suffix list, and `example` is not. Nobody's real domain is turned away by
 * that, so its own cache is told that these are good.
 */
function trustDomain(domain: string): void {
  if (!domain.toLowerCase().endsWith('.example')) return
  getDefaultCache().domainValid.set(domain, { isValid: true, hasMX: false, checkedAt: Date.now() })
}

/** Its `null` is said to mean that the server could not be asked. Flags that speak of doubt go before a no. */
function read(found: Found): Answer['verdict'] {
  const { validFormat, validMx, validSmtp, isDisposable, isCatchAll, hasFullInbox, metadata } = found
  if (!validFormat || validMx === false || metadata.error === 'INVALID_DOMAIN') return 'invalid'
  if (isDisposable || isCatchAll || hasFullInbox) return 'risky'
  if (validSmtp === null) return 'unknown'
  return validSmtp ? 'valid' : 'invalid'
}
