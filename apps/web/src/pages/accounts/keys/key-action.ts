import type { Key } from './keys-query.ts'

/** An action on one key. */
export type KeyAction = { kind: 'rename' | 'limits' | 'embed' | 'rotate' | 'pause' | 'resume' | 'revoke'; key: Key }
