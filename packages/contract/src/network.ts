import type { Static } from 'typebox'
import Type from 'typebox'
import { IP_ALLOWLIST_MAX } from './keys.ts'

// For the web app only: a key must not change the IP allowlist of its account, so this is not part of the public API.

/** IP allowlist of an account. */
export type Network = Static<typeof Network>
export const Network = Type.Object({
  /** IP addresses and CIDR ranges; empty if there is no restriction. */
  ip_allowlist: Type.Array(Type.String()),
  /** IP address of the request, as the service sees it. */
  your_address: Type.String(),
})

export type UpdateNetwork = Static<typeof UpdateNetwork>
export const UpdateNetwork = Type.Object(
  {
    ip_allowlist: Type.Array(Type.String({ minLength: 2, maxLength: 49 }), { maxItems: IP_ALLOWLIST_MAX }),
    /** Whether the member accepts that the new list excludes their own address. */
    confirmed: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
