import Type from 'typebox'

/** Part of every object that exists separately in live and in test mode. */
export const LivemodeField = Type.Boolean({
  description:
    'Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.',
  examples: [true],
})
