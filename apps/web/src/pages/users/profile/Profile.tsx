import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { callApi } from '../../../session/client.ts'
import { refreshSession, useSession, useWelcome } from '../../../session/session.ts'
import { keepTheme, useTheme } from '../../../shell/theme.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { CurrentPasswordField, PASSWORD_RULES } from '../../../ui/Field.tsx'
import { FormSummary, SaveLine, useSubmit } from '../../../ui/Form.tsx'
import { Segments } from '../../../ui/Segments.tsx'
import { UnsavedGuard } from '../../../ui/UnsavedGuard.tsx'
import { EMAIL_RULES, EmailField, NameField, USER_NAME_RULES } from '../sign-in/fields.tsx'
import { DeleteProfileDialog } from './DeleteProfileDialog.tsx'

export function Profile() {
  return (
    <>
      <PersonCard />
      <EmailCard />
      <Appearance />
      <DeleteProfileCard />
    </>
  )
}

function PersonCard() {
  const { person } = useSession()
  const queryClient = useQueryClient()
  const [isSaved, setSaved] = useState(false)
  const form = useForm({ values: { name: person.name }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ name }) => {
    await callApi('/auth/update-user', { method: 'POST', body: { name: name.trim() } })
    form.reset({ name: name.trim() })
    setSaved(true)
    await refreshSession(queryClient)
  })
  const { errors, isDirty, isSubmitting } = form.formState
  return (
    <Card title="Profile" about="Your name as other members see it.">
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <UnsavedGuard isDirty={isDirty} />
        <FormSummary form={form} />
        <div className="grid gap-4 sm:grid-cols-2">
          <NameField label="Name" input={form.register('name', USER_NAME_RULES)} error={errors.name?.message} />
        </div>
        <SaveLine isDirty={isDirty} isBusy={isSubmitting} isSaved={isSaved} />
      </form>
    </Card>
  )
}

const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

function Appearance() {
  const theme = useTheme()
  return (
    <Card title="Appearance" about="Applies to this browser. Takes effect immediately.">
      <Segments label="Appearance" value={theme} choices={THEMES} onChange={keepTheme} />
    </Card>
  )
}

function DeleteProfileCard() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card title="Delete profile">
      <div className="flex flex-col gap-4">
        <p className="max-w-prose text-soft">
          Your name, email address, password, sessions and memberships are deleted. Accounts remain, with their lists,
          credits and API keys, including keys that you created. The audit log of an account names you for a year.
        </p>
        <p className="max-w-prose text-soft">
          If you are the only owner of an account, make another member an owner or delete the account first.
        </p>
        <div>
          <Button look="danger" onClick={() => setOpen(true)}>
            Delete profile
          </Button>
        </div>
      </div>
      {isOpen && <DeleteProfileDialog onClose={() => setOpen(false)} />}
    </Card>
  )
}

/** The address that the user signs in with. */
function EmailCard() {
  const { person } = useSession()
  const [isOpen, setOpen] = useState(false)
  const [sentTo, setSentTo] = useState<string>()
  const onSent = (email: string) => {
    setSentTo(email)
    setOpen(false)
  }
  return (
    <Card title="Email address" about="Used to sign in and for email notifications.">
      <div className="flex flex-col gap-4">
        <p className="[overflow-wrap:anywhere]">{person.email}</p>
        {sentTo !== undefined && <LinkSent email={sentTo} />}
        <div>
          <Button onClick={() => setOpen(true)}>Change email address</Button>
        </div>
      </div>
      {isOpen && <ChangeEmailDialog onSent={onSent} onClose={() => setOpen(false)} />}
    </Card>
  )
}

function LinkSent({ email }: { email: string }) {
  const hasMail = useWelcome()?.mail ?? true
  return (
    <Callout kind="success" live title="Confirm the new address">
      {hasMail
        ? `If no other user has ${email}, a link was sent to it. The address changes when you open the link.`
        : `If no other user has ${email}, a link was written to the service log. Ask an operator for it. The address changes when you open the link.`}
    </Callout>
  )
}

function ChangeEmailDialog({ onSent, onClose }: { onSent(email: string): void; onClose(): void }) {
  const form = useForm({ defaultValues: { email: '', password: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ email, password }) => {
    await callApi('/email', { method: 'POST', body: { email: email.trim(), password } })
    onSent(email.trim())
  })
  const { errors, isSubmitting } = form.formState
  return (
    <Dialog
      open
      onClose={onClose}
      title="Change email address"
      about="A confirmation link is sent to the new address. Until you open it, you sign in with the old address."
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <EmailField
          label="New email address"
          input={form.register('email', EMAIL_RULES)}
          error={errors.email?.message}
        />
        <CurrentPasswordField input={form.register('password', PASSWORD_RULES)} error={errors.password?.message} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={isSubmitting}>
            Send link
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
