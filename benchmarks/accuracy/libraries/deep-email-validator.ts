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

/** With its own defaults, which have all of its checks on. */
async function ask(email: string): Promise<Answer> {
  const { valid, reason = 'smtp', validators } = await validate({ email, sender: SENDER.address })
  if (valid) return { verdict: 'valid' }
  const evidence = validators[reason]?.reason ?? ''
  return { verdict: reason === 'smtp' ? readSmtp(evidence) : BY_CHECK[reason], evidence }
}

/** It knows only valid and not valid; a likely typo and a disposable domain are no more than doubts, so they count as such. */
const BY_CHECK: Record<'regex' | 'typo' | 'disposable' | 'mx', Verdict> = {
  regex: 'invalid',
  typo: 'risky',
  disposable: 'risky',
  mx: 'invalid',
}

/** Of what it says went wrong with the server, only what is about the mailbox is held to be an answer about it. */
function readSmtp(reason: string): Verdict {
  if (/^Mailbox not found|specified user is not local/.test(reason)) return 'invalid'
  return /ran out of|run out of space/.test(reason) ? 'risky' : 'unknown'
}
