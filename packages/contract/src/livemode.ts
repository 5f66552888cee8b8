import Type from 'typebox'

/** In every answer, so that nobody takes the sandbox for the world. */
export const LivemodeField = Type.Boolean({
  description:
    'False when a test key was used: verdicts then come from the sandbox, no server is asked and nothing is charged.',
  examples: [true],
})
