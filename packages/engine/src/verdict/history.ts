/** What was reported of messages that were sent: how many arrived and how many mailboxes were not there. Old ones count less. */
export type Tally = { delivered: number; bounced: number }

/** What is known of a domain and its provider from outcomes that were reported. */
export type History = {
  /** Of the domain; `shapes` says how the addresses that took mail are built, in the order of SHAPES. */
  domain: Tally & { shapes: readonly number[] }
  /** Of all addresses at the provider that came to the same sub_status; `machine` of those that bounced looked made by a machine. */
  classes: Readonly<Record<string, Tally & { machine: number }>>
  /** Whether chances given earlier were near enough to what came of them. Where they were not, only base rates count. */
  isTrusted: boolean
}

/** Where outcomes are looked up for whoever asks about an address. */
export type HistoryLookup = { find(domain: string, provider: string): Promise<History> }

export const NO_HISTORY: History = {
  domain: { delivered: 0, bounced: 0, shapes: [] },
  classes: {},
  isTrusted: true,
}
