import type { KeyMode } from '@probity/contract/key-format'

/** Whose lists and webhooks somebody sees: those of one account that keys of one mode made. */
export type View = { accountId: string; mode: KeyMode }
