/** Reported outcomes: deliveries, and bounces of missing mailboxes. Old ones count less. */
export type Tally = { delivered: number; bounced: number }

/** Reported outcomes of a domain and its provider. */
export type History = {
  /** Of the domain; `shapes` counts the shapes of delivered addresses, in the order of SHAPES. */
  domain: Tally & { shapes: readonly number[] }
  /** Of all addresses at the provider with the same sub_status; `machine` is the number of bounces that looked auto-generated. */
  classes: Readonly<Record<string, Tally & { machine: number }>>
  /** Whether earlier estimates were calibrated. If not, only base rates are used. */
  isTrusted: boolean
}

/** Looks up reported outcomes. */
export type HistoryLookup = { find(domain: string, provider: string): Promise<History> }

export const NO_HISTORY: History = {
  domain: { delivered: 0, bounced: 0, shapes: [] },
  classes: {},
  isTrusted: true,
}
