/** How the command ends, for scripts. A code never changes its meaning; docs/cli.md and `probity --help` show this table. */
export const EXIT_CODES = {
  ok: { code: 0, meaning: 'it went well' },
  other: { code: 1, meaning: 'something else failed, or a list was canceled' },
  usage: { code: 2, meaning: 'the command is not written as it must be' },
  auth: { code: 3, meaning: 'there is no key, or it may not do this' },
  input: { code: 4, meaning: 'the input is not usable, or there is no such thing' },
  later: { code: 5, meaning: 'too much was asked at once: later it may work' },
  network: { code: 6, meaning: 'the service cannot be reached, or failed' },
  credits: { code: 7, meaning: 'too few credits, or nobody agreed to spend them; nothing was spent' },
  failed_on: { code: 8, meaning: 'it went well, and the result is one that --fail-on names' },
  interrupted: { code: 130, meaning: 'Ctrl-C; a list that was started goes on' },
} as const satisfies Record<string, { code: number; meaning: string }>
