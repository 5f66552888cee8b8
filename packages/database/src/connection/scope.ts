import type { KeyMode } from '@probity/contract/constants/keys'

/** Scope of list and webhook queries: account and mode. */
export type View = { accountId: string; mode: KeyMode }
