import { type Answer, drive } from './drive.ts'
import { loadPeer, readTask, SENDER } from './library.ts'

type Peer = (email: string, options: { senderDomain: string; senderAddress: string }) => Promise<boolean>

const task = readTask()
const serverAcceptsEmail = loadPeer<Peer>('server-accepts-email', task.folder)
drive(ask, task)

/** `false` means invalid. It throws when the result is undetermined, which counts as unknown. */
async function ask(email: string): Promise<Answer> {
  const accepts = await serverAcceptsEmail(email, { senderDomain: SENDER.domain, senderAddress: SENDER.address })
  return { verdict: accepts ? 'valid' : 'invalid' }
}
