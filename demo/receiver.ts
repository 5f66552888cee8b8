import { type Received, type Receiver, startReceiver } from '@probity/lab/webhooks/receiver'

/** The webhook receiver of the demo. It listens on loopback; only the demo's worker resolves its name and may connect to it. */
export const RECEIVER_NAME = 'hooks.probity.example'
export const RECEIVER_URL = `https://${RECEIVER_NAME}/`

/** Outside 127.77.0.0/16, so that mail probes never reach the receiver and webhooks never reach a mail server. */
export const RECEIVER_ADDRESS = '127.79.0.1'

/** Starts a receiver that accepts every event and passes a one-line summary of it on. */
export async function startDemoReceiver(write: (line: string) => void): Promise<Receiver> {
  const receiver = await startReceiver({ name: RECEIVER_NAME, address: RECEIVER_ADDRESS })
  receiver.answer((received) => {
    write(describeEvent(received))
    return 200
  })
  return receiver
}

function describeEvent({ path, headers, body }: Received): string {
  return `Webhook received: ${readType(body)}, ${headers['webhook-id']}${path === '/' ? '' : `, at ${path}`}`
}

function readType(body: string): string {
  try {
    return String((JSON.parse(body) as { type?: unknown }).type)
  } catch {
    return 'a body that is not JSON'
  }
}
