import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { ask } from '../../../session/ask.ts'
import { asRequestFailed } from '../../../session/probity.ts'
import { useSecretInAddress } from '../../../session/secret-in-address.ts'
import { useWelcome, welcomeQuery } from '../../../session/session.ts'
import { refreshSession } from '../../../session/sign-in.ts'
import { OpenPage } from '../../../shell/OpenPage.tsx'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { BrokenLink } from './BrokenLink.tsx'
import { EMAIL_RULES, EmailField } from './EmailField.tsx'
import { ACCOUNT_NAME_RULES, NameField, PERSON_NAME_RULES } from './NameField.tsx'
import { NEW_PASSWORD_RULES, NewPasswordField } from './NewPasswordField.tsx'

/** Creates the first operator of an installation. The setup link is printed at the first start. */
export function SetupPage() {
  const token = useSecretInAddress('token')
  const welcome = useWelcome()
  const [isUsed, setUsed] = useState(false)
  if (isUsed || welcome?.setup_needed === false) return <Used />
  if (token === undefined) return <BrokenLink about={HOW_TO_GET_ONE} />
  return (
    <OpenPage
      title="Set up Probity"
      about="You become the operator of this installation and the owner of its first account. You can change names later."
    >
      <SetupForm token={token} onUsed={() => setUsed(true)} />
    </OpenPage>
  )
}

const HOW_TO_GET_ONE =
  'Open the setup link exactly as printed when the service was started. The command “pnpm admin setup-link” prints a new one.'

function SetupForm({ token, onUsed }: { token: string; onUsed(): void }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const form = useForm({
    defaultValues: { name: '', email: '', password: '', organisation: '' },
    shouldFocusError: false,
  })
  const submit = useSubmit(form, async ({ name, email, password, organisation }) => {
    const body = { token, name: name.trim(), email: email.trim(), password, organisation: organisation.trim() }
    try {
      await ask('/setup', { method: 'POST', body })
    } catch (error) {
      if (asRequestFailed(error).status !== 404) throw error
      onUsed()
      return
    }
    await refreshSession(queryClient)
    await navigate({ to: '/quick-start', replace: true })
    await queryClient.invalidateQueries(welcomeQuery) // not before: this page would say that the link was used
  })
  const { errors, isSubmitting } = form.formState
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <FormSummary form={form} />
      <NameField input={form.register('name', PERSON_NAME_RULES)} error={errors.name?.message} />
      <EmailField input={form.register('email', EMAIL_RULES)} error={errors.email?.message} />
      <NewPasswordField
        input={form.register('password', NEW_PASSWORD_RULES)}
        value={form.watch('password')}
        error={errors.password?.message}
      />
      <NameField
        label="Account name"
        hint="The company or team that owns the lists and keys."
        autoComplete="organization"
        input={form.register('organisation', ACCOUNT_NAME_RULES)}
        error={errors.organisation?.message}
      />
      <Button type="submit" look="primary" size="lg" busy={isSubmitting}>
        Set up Probity
      </Button>
    </form>
  )
}

function Used() {
  return (
    <OpenPage
      title="Setup link already used"
      about="This installation already has an operator. If you are not the operator, ask for an invitation."
    >
      <Link to="/sign-in" className={buttonClass('primary', 'lg', 'w-full')}>
        Go to sign-in
      </Link>
    </OpenPage>
  )
}
