import type { PasswordReset } from '@probity/contract/schemas/operators'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Building2 } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { callApi } from '../../session/client.ts'
import { useWelcome } from '../../session/session.ts'
import { Button } from '../../ui/Button.tsx'
import { Callout } from '../../ui/Callout.tsx'
import { Card } from '../../ui/Card.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { CurrentPasswordField, Field, PASSWORD_RULES, SearchField, SelectInput, TextInput } from '../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../ui/Form.tsx'
import { formatCount, formatDateTime } from '../../ui/format.ts'
import { SecretLink } from '../../ui/Secret.tsx'
import { EmptyState, PageFrame } from '../../ui/States.tsx'
import { Pager } from '../../ui/Table.tsx'
import { EMAIL_RULES } from '../users/sign-in/fields.tsx'
import { type AccountAction, AccountDialogs, AccountTable } from './AccountTable.tsx'
import { useWithRecentCode } from './ConfirmCall.tsx'
import { ACCOUNTS_PER_PAGE, accountsQuery } from './queries.ts'
import { ACCOUNT_STATES, type AccountState, type AccountsSearch } from './search.ts'

/** All accounts of the installation, with their plans and usage. */
export function Accounts() {
  const search = useSearch({ from: '/shell/operator/accounts' })
  const navigate = useNavigate({ from: '/operator/accounts' })
  const narrow = (change: AccountsSearch) =>
    void navigate({
      search: ({ skip: _, search: _search, state: _state, ...now }) => ({ ...now, ...change }),
      replace: true,
      resetScroll: false,
    })
  return (
    <Card
      title="Accounts"
      about="Account names, plans and usage. Validated addresses are never shown to operators."
      actions={<ResetLink />}
    >
      <div className="flex flex-col gap-4">
        <search className="flex flex-wrap gap-2">
          <SearchField
            label="Search by name or ID"
            value={search.search ?? ''}
            maxLength={200}
            onChange={(text) => narrow({ ...stateOf(search), ...(text && { search: text }) })}
          />
          <SelectInput
            aria-label="State"
            value={search.state ?? ''}
            className="w-auto! flex-1 sm:flex-none"
            onChange={({ target }) =>
              narrow({
                ...(search.search && { search: search.search }),
                ...(target.value && { state: target.value as AccountState }),
              })
            }
          >
            <option value="">All states</option>
            {Object.entries(ACCOUNT_STATES).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </SelectInput>
        </search>
        <Found search={search} onClear={() => narrow({})} />
      </div>
    </Card>
  )
}

/** Where an SMTP relay is set, users request the link themselves. */
function ResetLink() {
  const [isOpen, setOpen] = useState(false)
  if (useWelcome()?.mail !== false) return null
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        Create password reset link
      </Button>
      {isOpen && <ResetLinkDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function stateOf({ state }: AccountsSearch): AccountsSearch {
  return state ? { state } : {}
}

function Found({ search, onClear }: { search: AccountsSearch; onClear(): void }) {
  const query = useQuery(accountsQuery(search))
  const { data, isError } = query
  const [asked, setAsked] = useState<AccountAction>()
  const navigate = useNavigate({ from: '/operator/accounts' })
  const turn = (to: number) =>
    void navigate({ search: ({ skip: _, ...now }) => ({ ...now, ...(to > 0 && { skip: to }) }), resetScroll: false })
  if (data === undefined)
    return <PageFrame query={query} failed="The accounts could not be loaded" loading="Loading accounts" lines={6} />
  return (
    <div>
      {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
      <p role="status" className="sr-only">
        {(search.search || search.state) && `${formatCount(data.total, 'account')} found.`}
      </p>
      {data.accounts.length === 0 ? (
        <NoAccounts isNarrowed={Boolean(search.search || search.state || search.skip)} onClear={onClear} />
      ) : (
        <AccountTable accounts={data.accounts} onAsk={setAsked} />
      )}
      <Pager skip={search.skip ?? 0} limit={ACCOUNTS_PER_PAGE} total={data.total} noun="accounts" onTurn={turn} />
      {asked && <AccountDialogs asked={asked} plans={data.plans} onClose={() => setAsked(undefined)} />}
    </div>
  )
}

function NoAccounts({ isNarrowed, onClear }: { isNarrowed: boolean; onClear(): void }) {
  const icon = <Building2 aria-hidden="true" />
  if (!isNarrowed) {
    return (
      <EmptyState icon={icon} title="No accounts yet">
        New accounts appear here.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={icon}
      title="No accounts match these filters"
      action={<Button onClick={onClear}>Show all accounts</Button>}
    >
      The search matches account names and the beginning of account IDs.
    </EmptyState>
  )
}

type CreatedLink = PasswordReset & { email: string }

/** Creates a password reset link for a user, where no SMTP relay sends one. */
function ResetLinkDialog({ onClose }: { onClose(): void }) {
  const [created, setCreated] = useState<CreatedLink>()
  return (
    <Dialog
      open
      onClose={onClose}
      title={created ? 'Password reset link created' : 'Create password reset link'}
      about={
        created
          ? undefined
          : 'Send the link to the user yourself. It is recorded in the audit logs of the installation and of the user’s accounts.'
      }
    >
      {created ? (
        <Created created={created} onClose={onClose} />
      ) : (
        <CreateForm onCreated={setCreated} onClose={onClose} />
      )}
    </Dialog>
  )
}

function CreateForm({ onCreated, onClose }: { onCreated(created: CreatedLink): void; onClose(): void }) {
  const withRecentCode = useWithRecentCode()
  const form = useForm({ defaultValues: { email: '', password: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ email, password }) => {
    const body = { email: email.trim(), password }
    const reset = await withRecentCode(() =>
      callApi<PasswordReset>('/operator/password-resets', { method: 'POST', body }),
    )
    onCreated({ ...reset, email: body.email })
  })
  const { errors, isSubmitting } = form.formState
  const rules = { ...EMAIL_RULES, required: 'Enter the user’s email address.' }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <FormSummary form={form} />
      <Field label="User’s email address" error={errors.email?.message}>
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
      <CurrentPasswordField input={form.register('password', PASSWORD_RULES)} error={errors.password?.message} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={isSubmitting}>
          Create link
        </Button>
      </div>
    </form>
  )
}

function Created({ created: { email, token, expires_at }, onClose }: { created: CreatedLink; onClose(): void }) {
  const base = useWelcome()?.public_url ?? window.location.origin
  const link = `${base.replace(/\/$/, '')}/app/reset-password#token=${token}`
  return (
    <div className="flex flex-col gap-4">
      <p role="status" className="text-soft">
        Send this link to {email}. It works once, until {formatDateTime(expires_at)}. It is not shown again.
      </p>
      <SecretLink link={link} label="Password reset link" />
      <div className="flex justify-end">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}
