import type { DeletionPreview } from '@probity/contract/schemas/accounts'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { callApi } from '../../../session/client.ts'
import { refreshSession } from '../../../session/session.ts'
import { useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { CurrentPasswordField, Field, PASSWORD_RULES, TextInput } from '../../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import { PageFrame } from '../../../ui/States.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'

export function DeleteCard() {
  const { membership } = useScene()
  const contents = useQuery(contentsQuery(membership.account_id))
  return (
    <Card title="Delete account">
      <PageFrame query={contents} failed="The data to delete could not be loaded" lines={4}>
        {(data) => <DeletedData contents={data} />}
      </PageFrame>
    </Card>
  )
}

function DeletedData({ contents }: { contents: DeletionPreview }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="flex flex-col gap-4">
      <p>The following data is permanently deleted:</p>
      <ul className="list-disc ps-5">
        {linesOf(contents).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p className="text-soft">
        API keys stop working and members lose access immediately. Lists in progress are canceled, and webhook events
        are no longer sent. Stored data is deleted within a day. Credit transactions are kept as amounts and IDs without
        names or addresses. Payments remain with the payment provider, and existing backups do not change. Your own
        profile is kept.
      </p>
      {contents.subscribed && (
        <Callout kind="warning">
          The account has a paid subscription. Cancel it in the billing portal first. Otherwise the payment provider
          continues to charge you.
        </Callout>
      )}
      <div>
        <Button look="danger" disabled={contents.subscribed} onClick={() => setOpen(true)}>
          Delete account
        </Button>
      </div>
      {isOpen && <DeleteDialog name={contents.name} onClose={() => setOpen(false)} />}
    </div>
  )
}

function linesOf(contents: DeletionPreview): string[] {
  const { jobs, running_jobs: running, keys, members, webhooks, overrides, credits, unlimited } = contents
  const stillRunning = running > 0 ? `, ${formatNumber(running)} of them in progress` : ''
  const counted: [number, string][] = [
    [jobs, `${formatCount(jobs, 'list')} with all results${stillRunning}`],
    [keys, formatCount(keys, 'API key')],
    [webhooks, formatCount(webhooks, 'webhook')],
    [overrides, `${formatCount(overrides, 'entry', 'entries')} of the allow & block lists`],
    [members, `access for ${formatCount(members, 'member')}`],
    [unlimited ? 0 : credits, formatCount(credits, 'unused credit')],
  ]
  return counted.filter(([count]) => count > 0).map(([, line]) => line)
}

type Values = { name: string; password: string }

/** Requires the account name and the password, so that an account is not deleted by mistake or at an unattended screen. */
function DeleteDialog({ name, onClose }: { name: string; onClose(): void }) {
  const form = useForm<Values>({ defaultValues: { name: '', password: '' }, shouldFocusError: false })
  const submit = useSubmit(form, useDelete(name))
  const { errors, isSubmitting } = form.formState
  return (
    <Dialog open onClose={onClose} title={`Delete ${name}?`} about="This cannot be undone.">
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <Field label="Account name" hint={`Type ${name}.`} error={errors.name?.message}>
          {(ids) => (
            <TextInput
              {...ids}
              {...form.register('name', {
                validate: (typed) => typed.trim() === name.trim() || 'This is not the name of the account.',
              })}
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
        <CurrentPasswordField input={form.register('password', PASSWORD_RULES)} error={errors.password?.message} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" busy={isSubmitting}>
            Delete account
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function useDelete(name: string) {
  const { account_id: accountId } = useScene().membership
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const toasts = useToasts()
  return async (body: Values) => {
    await callApi('/deletion', { method: 'POST', body, headers: { 'probity-account': accountId } })
    toasts.done(`Account ${name} deleted.`)
    // Leave the pages of the account first: their next requests would fail.
    await navigate({ to: '/settings/profile', search: { org: undefined, mode: undefined } })
    await refreshSession(queryClient)
  }
}

/** The data that is deleted with the account. Never cached, because the user decides by it. */
function contentsQuery(accountId: string) {
  return queryOptions({
    queryKey: [accountId, 'contents'],
    queryFn: ({ signal }) =>
      callApi<DeletionPreview>('/deletion', { signal, headers: { 'probity-account': accountId } }),
    staleTime: 0,
    gcTime: 0,
  })
}
