import type { Behaviours } from './behaviour.ts'
import { honestBut } from './honest.ts'

/** Failures before the first reply. */
export const CONNECTION: Behaviours = {
  refused: {
    about: 'No server listens: the connection is refused.',
    expected: 'connection_failed',
  },
  silent: {
    about: 'Takes the connection and never says a word, whatever it is sent.',
    expected: 'timeout',
    act: () => {},
  },
  reset: {
    about: 'Takes the connection and resets it at once.',
    // The reset may arrive before the client sees the connection as established.
    expected: ['server_error', 'connection_failed'],
    act: ({ socket }) => void socket.resetAndDestroy(),
  },
  'one-byte': {
    about: 'Hangs up after a single byte.',
    expected: 'server_error',
    act: ({ send, socket }) => {
      send('2')
      socket.end()
    },
  },
  'half-closed': {
    about: 'Closes its own direction without a greeting and goes on reading.',
    expected: 'server_error',
    act: ({ socket }) => void socket.end(),
  },
  'half-closed-after-greeting': {
    about: 'Greets, closes its own direction and goes on reading.',
    expected: 'server_error',
    act: ({ say, socket }) => {
      say('220 mx.hostile.example ESMTP')
      socket.end()
    },
  },
  'reset-at-ehlo': {
    about: 'Greets and resets the connection when it is spoken to.',
    expected: 'server_error',
    act: honestBut({ EHLO: ({ socket }) => void socket.resetAndDestroy() }),
  },
}
