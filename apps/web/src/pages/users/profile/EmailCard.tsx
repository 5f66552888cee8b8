import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { ask } from '../../../session/ask.ts'
import { useSession, useWelcome } from '../../../session/session.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { CurrentPasswordField, PASSWORD_RULES } from '../../../ui/CurrentPasswordField.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { EMAIL_RULES, EmailField } from '../sign-in/EmailField.tsx'

/** The address that the user signs in with. */
export function EmailCard() {
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
    await ask('/email', { method: 'POST', body: { email: email.trim(), password } })
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
