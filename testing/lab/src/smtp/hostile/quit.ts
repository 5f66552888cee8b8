import type { Behaviours } from './behaviour.ts'
import { honestBut } from './honest.ts'
import { pour } from './session.ts'

const LETTERS = Buffer.alloc(65_536, 'x')

/** Odd ways to end a session. All replies have been sent by then, so none of them may change a verdict or cost time. */
export const QUIT: Behaviours = {
  'quit-ignored': {
    about: 'Neither answers QUIT nor hangs up.',
    expected: '',
    act: honestBut({ QUIT: () => {} }),
  },
  'quit-stays': {
    about: 'Answers QUIT and never hangs up.',
    expected: '',
    act: honestBut({ QUIT: '221 2.0.0 Bye' }),
  },
  'quit-pours': {
    about: 'Answers QUIT with a megabyte and then hangs up.',
    expected: '',
    act: honestBut({
      QUIT: async (visit) => {
        visit.say('221 2.0.0 Bye')
        await pour(visit, LETTERS, 16)
        visit.socket.end()
      },
    }),
  },
  'quit-resets': {
    about: 'Resets the connection at QUIT.',
    expected: '',
    act: honestBut({ QUIT: ({ socket }) => void socket.resetAndDestroy() }),
  },
}
