import type { Account } from '@probity/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { accountQuery, useMay, useScene } from '../../../session/workspace.ts'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Field, Radio, TextInput } from '../../../ui/Field.tsx'
import { FormSummary, SaveLine, useSubmit } from '../../../ui/Form.tsx'
import { formatCount } from '../../../ui/format.ts'
import { Page } from '../../../ui/Page.tsx'
import { CreditsCard } from './CreditsCard.tsx'
import { KeysCard } from './KeysCard.tsx'
import { LedgerCard } from './LedgerCard.tsx'
import { UsageCard } from './UsageCard.tsx'

/** Credit balance, usage by day and key, and credit transactions. */
export function UsagePage() {
  const { mode } = useScene()
  return (
    <Page title="Usage & credits" about="Usage, credit balance and credit transactions. Days are in UTC.">
      {mode === 'test' ? (
        <Callout>Test mode uses no credits. Credits and transactions are shown in live mode.</Callout>
      ) : (
        <CreditsCard />
      )}
      <UsageCard />
      <KeysCard />
      {mode === 'live' && <LedgerCard />}
      {mode === 'live' && <LowCard />}
    </Page>
  )
}

/** The threshold of the low-credit alert. */
function LowCard() {
  const { data } = useQuery(accountQuery(useScene()))
  if (data === undefined || data.credits.unlimited) return null // the credits card shows the error
  return (
    <Card
      title="Low-credit alert"
      about={
        <>
          Sent once each time the balance drops below the threshold: by email (see{' '}
          <Link to="/settings/notices" className="text-accent-text underline underline-offset-2">
            Notifications
          </Link>
          ) and as the <code className="font-mono">credits.low</code> event.
        </>
      }
    >
      <LowForm account={data} />
    </Card>
  )
}

type Values = { kind: 'usual' | 'own'; low_at: string }

function LowForm({ account: { credits } }: { account: Account }) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const mayChange = useMay('webhooks:write')
  const [isSaved, setSaved] = useState(false)
  const form = useForm<Values>({
    values: { kind: 'own', low_at: String(credits.low_at) },
    shouldFocusError: false,
  })
  const submit = useSubmit(form, async ({ kind, low_at: typed }) => {
    const lowAt = kind === 'usual' ? null : Number(typed)
    const account = await scene.probity.account.update({ credits: { low_at: lowAt } })
    if (account) form.reset({ kind: 'own', low_at: String(account.credits.low_at) })
    setSaved(true)
    await queryClient.invalidateQueries(accountQuery(scene))
  })
  const { errors, isDirty, isSubmitting } = form.formState
  if (!mayChange) return <p className="text-soft">Alert threshold: {formatCount(credits.low_at, 'credit')}.</p>
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <FormSummary form={form} />
      <fieldset className="flex flex-col gap-2.5">
        <legend className="sr-only">Alert threshold</legend>
        <Radio {...form.register('kind')} value="own" label="Number of credits" />
        <Radio {...form.register('kind')} value="usual" label="10% of the last credits added" />
      </fieldset>
      {form.watch('kind') === 'own' && (
        <Field label="Credits" error={errors.low_at?.message}>
          {(ids) => (
            <TextInput
              {...ids}
              {...form.register('low_at', { validate: isCredits })}
              inputMode="numeric"
              autoComplete="off"
              className="max-w-40 tabular-nums"
            />
          )}
        </Field>
      )}
      <SaveLine isDirty={isDirty} isBusy={isSubmitting} isSaved={isSaved} />
    </form>
  )
}

function isCredits(typed: string, { kind }: Values): true | string {
  return kind === 'usual' || /^\s*\d{1,9}\s*$/.test(typed) || 'Enter a whole number of credits.'
}
