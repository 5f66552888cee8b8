/** The exit codes for scripts. A code never changes its meaning; docs/cli.md and `probity --help` show this table. */
export const EXIT_CODES = {
  ok: { code: 0, meaning: 'success' },
  other: { code: 1, meaning: 'other failure, or the job was canceled or failed' },
  usage: { code: 2, meaning: 'invalid command line' },
  auth: { code: 3, meaning: 'API key missing or rejected, or scope missing' },
  input: { code: 4, meaning: 'invalid input, or object not found' },
  later: { code: 5, meaning: 'limit reached or resource busy; retry later' },
  network: { code: 6, meaning: 'service unreachable or failed' },
  credits: { code: 7, meaning: 'insufficient credits, or cost above --max-credits; nothing was charged' },
  failed_on: { code: 8, meaning: 'success, but the results exceed a --fail-on limit' },
  declined: { code: 9, meaning: 'confirmation declined, or required without a terminal; nothing was changed' },
  interrupted: { code: 130, meaning: 'interrupted with Ctrl-C; a started job continues' },
} as const satisfies Record<string, { code: number; meaning: string }>
