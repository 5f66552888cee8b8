import type { Role } from '@probity/contract/constants/users'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { ask } from '../../../session/ask.ts'
import { useScene } from '../../../session/scene.ts'
import { useWelcome } from '../../../session/session.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, TextInput } from '../../../ui/Field.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { EMAIL_RULES } from '../sign-in/EmailField.tsx'
import { InvitationLink } from './InvitationLink.tsx'
import { invitationsKey, type OpenInvitation } from './members-query.ts'
import { RoleChoice } from './RoleChoice.tsx'

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
    onInvited(await ask<OpenInvitation>('/auth/organization/invite-member', { method: 'POST', body }))
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
