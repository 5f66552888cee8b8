import type { Key } from '../../keys/keys-query.ts'

/** What is to be done with one key. */
export type KeyAction = { kind: 'rename' | 'limits' | 'rotate' | 'pause' | 'resume' | 'revoke'; key: Key }
