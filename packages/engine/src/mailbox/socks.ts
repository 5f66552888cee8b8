import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { SocksClient } from 'socks'
import type { Egress } from './egress.ts'

/** What a proxy says of a mail host (RFC 1928 §6), in the words of `socks`. All else it says is about the proxy or us. */
const ABOUT_THE_HOST = [
  { says: 'ConnectionRefused', means: 'refused' },
  { says: 'HostUnreachable', means: 'unreachable' },
  { says: 'NetworkUnreachable', means: 'unreachable' },
  { says: 'TTLExpired', means: 'unreachable' },
  { says: 'Proxy connection timed out', means: 'timeout' },
] as const

type Request = {
  proxy: NonNullable<Egress['socks5']>
  /** A literal address: a name would be looked up by the proxy, and lead where nobody has judged. */
  address: string
  port: number
  limitMs: number
}

/**
 * Asks the proxy at the other end of a socket to connect it to an address. The socket is paused afterwards, as it was before, and
 * whatever the mail host has said is still to be read from it.
 */
export async function askProxy(socket: Socket, { proxy, address, port, limitMs }: Request) {
  try {
    const established = SocksClient.createConnection({
      command: 'connect',
      proxy: {
        host: proxy.host,
        port: proxy.port,
        type: 5,
        userId: proxy.username ?? '',
        password: proxy.password ?? '',
      },
      destination: { host: address, port },
      existing_socket: socket,
      timeout: limitMs,
    })
    socket.resume()
    await established
    await takeBack(socket)
    return 'connected'
  } catch (error) {
    // The socket is closed by now. The error stays here, since it carries the proxy's password.
    const { message } = error as Error
    return ABOUT_THE_HOST.find(({ says }) => message.endsWith(says))?.means ?? 'proxy_failed'
  }
}

/**
 * A turn of the event loop after the proxy's last answer, `socks` emits what came behind it as data and lets the socket flow. We
 * listen during that turn and put back what we hear: it may be the greeting of the mail host.
 */
async function takeBack(socket: Socket): Promise<void> {
  const heard: Buffer[] = []
  const listen = (data: Buffer) => void heard.push(data)
  socket.on('data', listen)
  await nextTurn()
  socket.pause()
  socket.off('data', listen)
  if (heard.length > 0) socket.unshift(Buffer.concat(heard))
}
