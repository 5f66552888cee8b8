import type { InvitationToken } from '@probity/contract/schemas/users'
import { useQuery } from '@tanstack/react-query'
import { ask } from '../../../session/ask.ts'
import { useWelcome } from '../../../session/session.ts'
import { ErrorState, Skeleton } from '../../../ui/States.tsx'
import { SecretLink } from '../sign-in/SecretLink.tsx'

/** The link of a pending invitation, for members who can invite to its role. It works for the invited address only. */
export function InvitationLink({ id }: { id: string }) {
  const { link, error, retry } = useInvitationLink(id)
  if (link !== undefined) return <SecretLink link={link} label="Invitation link" />
  return error ? (
    <ErrorState what="The invitation link could not be loaded" error={error} onRetry={retry} />
  ) : (
    <Skeleton lines={1} label="Loading link" />
  )
}

export function useInvitationLink(id: string, isNeeded = true) {
  const base = useWelcome()?.public_url ?? window.location.origin
  const { data, error, refetch } = useQuery({
    queryKey: ['invitation-token', id],
    queryFn: ({ signal }) => ask<InvitationToken>(`/invitations/${id}/token`, { signal }),
    enabled: isNeeded,
  })
  const link = data && `${base.replace(/\/$/, '')}/app/accept-invitation#id=${id}.${data.token}`
  return { link, error, retry: () => void refetch() }
}
