import type { Key } from '../../keys/keys-query.ts'

/** What is to be done with one key. */
export type KeyAction = { kind: 'rename' | 'limits' | 'embed' | 'rotate' | 'pause' | 'resume' | 'revoke'; key: Key }
