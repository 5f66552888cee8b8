import { once } from 'node:events'
import { whenDone } from '@probity/lab/when-done'
import { SMTPServer } from 'smtp-server'

export type Received = { from: string; to: string[]; text: string }

/** A mail server that keeps the emails it receives. */
export async function startSink(): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        received.push({ from, to, text: Buffer.concat(chunks).toString('utf8') })
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  whenDone(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as { port: number }
  return { url: `smtp://127.0.0.1:${port}`, received }
}
