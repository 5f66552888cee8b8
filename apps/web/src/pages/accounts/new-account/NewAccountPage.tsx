import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useForm } from 'react-hook-form'
import { callApi } from '../../../session/client.ts'
import { type Membership, sessionQuery, useSession } from '../../../session/session.ts'
import { keepLastAccount } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import { Page } from '../../../ui/Page.tsx'
import { ACCOUNT_NAME_RULES, NameField } from '../../users/sign-in/fields.tsx'

/** Creates another account for a user who has one already. */
export function NewAccountPage() {
  const navigate = useNavigate()
  const { person } = useSession()
  return (
    <Page
      title="New account"
      about="An account has its own lists, keys, members and credits. You become its owner and remain a member of your other accounts."
      width="narrow"
    >
      {person.may_create_accounts ? (
        <Card>
          <NewAccount
            isFirstChoice
            onOpened={({ slug }) => void navigate({ to: '/quick-start', search: (now) => ({ ...now, org: slug }) })}
          />
        </Card>
      ) : (
        <Callout title="Only operators can create accounts">
          Ask an operator of this installation to create the account and to invite you.
        </Callout>
      )}
    </Page>
  )
}

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
