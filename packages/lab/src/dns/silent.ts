import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { freePort } from '../services/daemon.ts'

/** A server that takes every question and never answers, over UDP and TCP. No real one does so on demand. */
export async function startSilent() {
  const connections = new Set<Socket>()
  const tcp = createServer((socket) => {
    connections.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => connections.delete(socket))
    socket.resume()
  })
  const port = await freePort()
  tcp.listen(port, '127.0.0.1')
  await once(tcp, 'listening')
  const udp = createSocket('udp4')
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  return {
    port,
    stop: async () => {
      udp.close()
      for (const socket of connections) socket.destroy()
      tcp.close()
      await once(tcp, 'close')
    },
  }
}
