import { type Answer, drive, type Verdict } from './drive.ts'
import { loadPeer, readTask, SENDER } from './library.ts'

type Peer = {
  validate(options: { email: string; sender: string }): Promise<{
    valid: boolean
    reason?: 'regex' | 'typo' | 'disposable' | 'mx' | 'smtp'
    validators: Record<string, { valid: boolean; reason?: string }>
  }>
}

const task = readTask()
const { validate } = loadPeer<Peer>('deep-email-validator', task.folder)
drive(ask, task)

/** With its defaults, which enable all of its checks. */
async function ask(email: string): Promise<Answer> {
  const { valid, reason = 'smtp', validators } = await validate({ email, sender: SENDER.address })
  if (valid) return { verdict: 'valid' }
  const evidence = validators[reason]?.reason ?? ''
  return { verdict: reason === 'smtp' ? readSmtp(evidence) : BY_CHECK[reason], evidence }
}

/**
 * It only distinguishes valid and invalid; a likely typo and a disposable domain are doubts, so they count as risky.
 */
const BY_CHECK: Record<'regex' | 'typo' | 'disposable' | 'mx', Verdict> = {
  regex: 'invalid',
  typo: 'risky',
  disposable: 'risky',
  mx: 'invalid',
}

/** Of its SMTP failure reasons, only those about the mailbox count as a result. */
function readSmtp(reason: string): Verdict {
  if (/^Mailbox not found|specified user is not local/.test(reason)) return 'invalid'
  return /ran out of|run out of space/.test(reason) ? 'risky' : 'unknown'
}
