import type { Static } from 'typebox'
import Type from 'typebox'
import { IP_ALLOW_LIST_MAX } from './keys.ts'

// What the web application asks. A key cannot say from where keys may be used, so none of this is in the API's document.

/** From where an organisation may be used. */
export type Network = Static<typeof Network>
export const Network = Type.Object({
  /** Addresses and ranges; empty where it may be used from anywhere. */
  ip_allow_list: Type.Array(Type.String()),
  /** From where the request came, as the service sees it. */
  your_address: Type.String(),
})

export type UpdateNetwork = Static<typeof UpdateNetwork>
export const UpdateNetwork = Type.Object(
  {
    ip_allow_list: Type.Array(Type.String({ minLength: 2, maxLength: 49 }), { maxItems: IP_ALLOW_LIST_MAX }),
    /** That whoever asks means to shut themselves out. */
    confirmed: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
