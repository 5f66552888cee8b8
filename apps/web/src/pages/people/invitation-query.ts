import type { Invitation } from '@probity/contract/people'
import { queryOptions } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'

/** What an invitation link carries. A link without its token leads to an invitation that has to be verified by email. */
export type InvitationSecret = { id: string; token: string | undefined }

export function invitationQuery(id: string) {
  return queryOptions({
    queryKey: ['invitation', id],
    queryFn: ({ signal }) => ask<Invitation>(`/invitations/${encodeURIComponent(id)}`, { signal }),
    // It was read before the person did something about it; what comes of that is told by the answer to it.
    staleTime: Number.POSITIVE_INFINITY,
  })
}
