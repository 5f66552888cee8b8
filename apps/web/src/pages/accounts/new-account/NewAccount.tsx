import { useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { callApi } from '../../../session/client.ts'
import { type Membership, sessionQuery } from '../../../session/session.ts'
import { keepLastAccount } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import { ACCOUNT_NAME_RULES, NameField } from '../../users/sign-in/fields.tsx'

/** Creates an account with the user as its owner. */
export function NewAccount(props: { isFirstChoice: boolean; onOpened?: (opened: Membership) => void }) {
  const queryClient = useQueryClient()
  const form = useForm({ defaultValues: { name: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ name }) => {
    const opened = await callApi<Membership>('/accounts', { method: 'POST', body: { name: name.trim() } })
    // Before the session is refetched, so that the shell shows the new account.
    keepLastAccount(opened.slug)
    await queryClient.invalidateQueries(sessionQuery)
    props.onOpened?.(opened)
  })
  const look = props.isFirstChoice ? 'primary' : 'secondary'
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <FormSummary form={form} />
      <NameField
        label="Account name"
        hint="Your company or team. It can be changed later."
        autoComplete="organization"
        input={form.register('name', ACCOUNT_NAME_RULES)}
        error={form.formState.errors.name?.message}
      />
      <Button type="submit" look={look} size="lg" busy={form.formState.isSubmitting}>
        Create account
      </Button>
    </form>
  )
}
