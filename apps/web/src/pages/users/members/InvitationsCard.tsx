import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { plainWords } from '../../../labels/error-messages.ts'
import { ask } from '../../../session/ask.ts'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { useWelcome } from '../../../session/session.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { ErrorState, Skeleton } from '../../../ui/States.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { useInvitationLink } from './InvitationLink.tsx'
import { invitationsKey, invitationsQuery, type OpenInvitation } from './members-query.ts'

/** Pending invitations of the account. */
export function InvitationsCard() {
  const invitations = useQuery(invitationsQuery(useScene()))
  return (
    <Card title="Pending invitations">
      {invitations.isPending && <Skeleton lines={2} label="Loading invitations" />}
      {invitations.isError && (
        <ErrorState
          what="The invitations could not be loaded"
          error={invitations.error}
          onRetry={() => void invitations.refetch()}
        />
      )}
      {invitations.data?.length === 0 && <p className="text-soft">No pending invitations.</p>}
      {invitations.isSuccess && invitations.data.length > 0 && (
        <ul aria-label="Pending invitations" className="flex flex-col divide-y divide-line">
          {invitations.data.map((invitation) => (
            <InvitationRow key={invitation.id} invitation={invitation} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function InvitationRow({ invitation }: { invitation: OpenInvitation }) {
  const { id, email, role, expiresAt } = invitation
  const welcome = useWelcome()
  const { resend, cancel } = useInvitationActions(invitation)
  const isOver = new Date(expiresAt).getTime() < Date.now()
  const { link } = useInvitationLink(id, welcome?.mail === false && !isOver)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-medium [overflow-wrap:anywhere]">{email}</p>
        <p className="flex flex-wrap items-center gap-x-2 text-soft">
          <span className="capitalize">{role}</span>
          <span aria-hidden="true">·</span>
          {isOver ? (
            <Badge tone="risky">Expired</Badge>
          ) : (
            <span>
              Expires <RelativeTime at={expiresAt} />
            </span>
          )}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        {link && <CopyButton text={link} label="Copy invitation link" word="Copy link" />}
        <Button
          size="sm"
          busy={resend.isPending}
          aria-label={`${welcome?.mail ? 'Resend' : 'Renew'} invitation: ${email}`}
          onClick={() => resend.mutate()}
        >
          {welcome?.mail ? 'Resend' : 'Renew'}
        </Button>
        <Button
          size="sm"
          busy={cancel.isPending}
          aria-label={`Revoke invitation: ${email}`}
          onClick={() => cancel.mutate()}
        >
          Revoke
        </Button>
      </div>
    </li>
  )
}

function useInvitationActions({ id, email, role }: OpenInvitation) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const toasts = useToasts()
  const { account_id: organizationId } = scene.membership
  const after = {
    onError: (error: Error) => toasts.failed(plainWords(asRequestFailed(error))),
    onSettled: () => queryClient.invalidateQueries({ queryKey: invitationsKey(scene) }),
  }
  const resend = useMutation({
    mutationFn: () => {
      const body = { organizationId, email, role, resend: true }
      return ask('/auth/organization/invite-member', { method: 'POST', body })
    },
    onSuccess: () => toasts.done(`Invitation for ${email} extended by two days.`),
    ...after,
  })
  const cancel = useMutation({
    mutationFn: () => ask('/auth/organization/cancel-invitation', { method: 'POST', body: { invitationId: id } }),
    onSuccess: () => toasts.done(`Invitation for ${email} revoked.`),
    ...after,
  })
  return { resend, cancel }
}
