import type { Role } from '@probity/contract/constants/users'
import type { InvitationToken } from '@probity/contract/schemas/users'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { describeError } from '../../../labels/error-messages.ts'
import { asRequestFailed, callApi } from '../../../session/client.ts'
import { useWelcome } from '../../../session/session.ts'
import { useScene } from '../../../session/workspace.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button, CopyButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { DateTime } from '../../../ui/DateTime.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, TextInput } from '../../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import { SecretLink } from '../../../ui/Secret.tsx'
import { ErrorState, PageFrame, Skeleton } from '../../../ui/States.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { EMAIL_RULES } from '../sign-in/fields.tsx'
import { invitationsKey, invitationsQuery, type OpenInvitation } from './members-query.ts'
import { RoleChoice } from './RolesCard.tsx'

/** Pending invitations of the account. */
export function InvitationsCard() {
  const invitations = useQuery(invitationsQuery(useScene()))
  return (
    <Card title="Pending invitations">
      <PageFrame
        query={invitations}
        failed="The invitations could not be loaded"
        loading="Loading invitations"
        lines={2}
        empty={{ when: (data) => data.length === 0, state: <p className="text-soft">No pending invitations.</p> }}
      >
        {(data) => (
          <ul aria-label="Pending invitations" className="flex flex-col divide-y divide-line">
            {data.map((invitation) => (
              <InvitationRow key={invitation.id} invitation={invitation} />
            ))}
          </ul>
        )}
      </PageFrame>
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
              Expires <DateTime at={expiresAt} />
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
    onError: (error: Error) => toasts.failed(describeError(asRequestFailed(error))),
    onSettled: () => queryClient.invalidateQueries({ queryKey: invitationsKey(scene) }),
  }
  const resend = useMutation({
    mutationFn: () => {
      const body = { organizationId, email, role, resend: true }
      return callApi('/auth/organization/invite-member', { method: 'POST', body })
    },
    onSuccess: () => toasts.done(`Invitation for ${email} extended by two days.`),
    ...after,
  })
  const cancel = useMutation({
    mutationFn: () => callApi('/auth/organization/cancel-invitation', { method: 'POST', body: { invitationId: id } }),
    onSuccess: () => toasts.done(`Invitation for ${email} revoked.`),
    ...after,
  })
  return { resend, cancel }
}

export function InviteDialog({ onClose }: { onClose(): void }) {
  const { membership } = useScene()
  const [invited, setInvited] = useState<OpenInvitation>()
  return (
    <Dialog open onClose={onClose} title={invited ? 'Invitation created' : `Invite to ${membership.name}`}>
      {invited ? (
        <Invited invitation={invited} onClose={onClose} />
      ) : (
        <InviteForm onInvited={setInvited} onClose={onClose} />
      )}
    </Dialog>
  )
}

type FormProps = { onInvited(invitation: OpenInvitation): void; onClose(): void }

function InviteForm({ onInvited, onClose }: FormProps) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const form = useForm({ defaultValues: { email: '', role: 'developer' as Role }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ email, role }) => {
    const body = { organizationId: scene.membership.account_id, email: email.trim(), role }
    onInvited(await callApi<OpenInvitation>('/auth/organization/invite-member', { method: 'POST', body }))
    await queryClient.invalidateQueries({ queryKey: invitationsKey(scene) })
  })
  const { errors, isSubmitting } = form.formState
  const rules = { ...EMAIL_RULES, required: 'Enter an email address.' }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <FormSummary form={form} />
      <Field label="Email address" error={errors.email?.message}>
        {(ids) => (
          <TextInput
            {...ids}
            {...form.register('email', rules)}
            type="email"
            inputMode="email"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
      </Field>
      <RoleChoice input={form.register('role')} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={isSubmitting}>
          Invite member
        </Button>
      </div>
    </form>
  )
}

function Invited({ invitation, onClose }: { invitation: OpenInvitation; onClose(): void }) {
  const welcome = useWelcome()
  return (
    <div className="flex flex-col gap-4">
      <p role="status" className="text-soft">
        {welcome?.mail
          ? `An email with the link was sent to ${invitation.email}. The link works for two days.`
          : `Email is not configured. Send this link to ${invitation.email} yourself. It works once, for two days. Anyone with the link can accept the invitation.`}
      </p>
      <InvitationLink id={invitation.id} />
      <div className="flex justify-end">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}

/** The link of a pending invitation, for members who can invite to its role. It works for the invited address only. */
function InvitationLink({ id }: { id: string }) {
  const { link, error, retry } = useInvitationLink(id)
  if (link !== undefined) return <SecretLink link={link} label="Invitation link" />
  return error ? (
    <ErrorState what="The invitation link could not be loaded" error={error} onRetry={retry} />
  ) : (
    <Skeleton lines={1} label="Loading link" />
  )
}

function useInvitationLink(id: string, isNeeded = true) {
  const base = useWelcome()?.public_url ?? window.location.origin
  const { data, error, refetch } = useQuery({
    queryKey: ['invitation-token', id],
    queryFn: ({ signal }) => callApi<InvitationToken>(`/invitations/${id}/token`, { signal }),
    enabled: isNeeded,
  })
  const link = data && `${base.replace(/\/$/, '')}/app/accept-invitation#id=${id}.${data.token}`
  return { link, error, retry: () => void refetch() }
}
