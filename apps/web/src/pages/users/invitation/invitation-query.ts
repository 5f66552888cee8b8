import type { Invitation } from '@probity/contract/schemas/users'
import { queryOptions } from '@tanstack/react-query'
import { ask } from '../../../session/ask.ts'

/** The contents of an invitation link. Without the token, the address must be verified by email. */
export type InvitationSecret = { id: string; token: string | undefined }

export function invitationQuery(id: string) {
  return queryOptions({
    queryKey: ['invitation', id],
    queryFn: ({ signal }) => ask<Invitation>(`/invitations/${encodeURIComponent(id)}`, { signal }),
    // Fetched once: the outcome of accepting or declining comes with the response to that request.
    staleTime: Number.POSITIVE_INFINITY,
  })
}
