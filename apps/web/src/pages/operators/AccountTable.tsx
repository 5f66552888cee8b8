import { planLabel } from '@probity/contract/constants/labels'
import type { OperatorAccount } from '@probity/contract/schemas/operators'
import { Link } from '@tanstack/react-router'
import { Ban, CircleCheck, Coins, Ellipsis, History, Layers, OctagonPause, Undo2 } from 'lucide-react'
import { useForm } from 'react-hook-form'
import { Badge } from '../../ui/Badge.tsx'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field, SelectInput, TextInput } from '../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../ui/Form.tsx'
import { formatCount, formatDate, formatNumber } from '../../ui/format.ts'
import { Menu, MenuItem, MenuLine, MenuLink } from '../../ui/Menu.tsx'
import { type Column, DataTable } from '../../ui/Table.tsx'
import { ConfirmCall, useOperatorCall } from './ConfirmCall.tsx'

type TableProps = { accounts: OperatorAccount[]; onAsk(asked: AccountAction): void }

const COLUMNS: Column<OperatorAccount>[] = [
  {
    head: 'Account',
    isRowHead: true,
    className: 'max-w-64 font-normal',
    cell: (account) => <Name account={account} />,
  },
  { head: 'State', cell: (account) => <AccountState account={account} /> },
  { head: 'Plan', cell: ({ plan }) => planLabel(plan) },
  { head: 'Credits', align: 'end', cell: creditsOf },
  { head: 'Used (30 days)', align: 'end', cell: ({ used_30d: used }) => formatNumber(used) },
  { head: 'Members', align: 'end', cell: ({ members }) => formatNumber(members) },
  { head: 'Keys', align: 'end', cell: ({ keys }) => formatNumber(keys) },
]

/** The accounts of one page. */
export function AccountTable({ accounts, onAsk }: TableProps) {
  const menu = (account: OperatorAccount) => <AccountMenu account={account} onAsk={onAsk} />
  return (
    <DataTable
      caption="Accounts"
      columns={[...COLUMNS, { head: 'Actions', isHeadHidden: true, align: 'end', cell: menu }]}
      rows={accounts}
      keyOf={({ id }) => id}
      cardsBelow="lg"
      card={(account) => (
        <>
          <div className="flex items-start justify-between gap-3">
            <Name account={account} />
            {menu(account)}
          </div>
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[0.8125rem] text-soft">
            <AccountState account={account} />
            <span>Plan: {planLabel(account.plan)}</span>
            <span>{account.unlimited ? 'Unlimited credits' : `${creditsOf(account)} credits`}</span>
            <span>{formatNumber(account.used_30d)} used in 30 days</span>
            <span>
              {formatCount(account.members, 'member')}, {formatCount(account.keys, 'key')}
            </span>
          </div>
        </>
      )}
    />
  )
}

function Name({ account: { id, name, created_at } }: { account: OperatorAccount }) {
  return (
    <div className="min-w-0">
      <p className="font-medium [overflow-wrap:anywhere]">{name}</p>
      <p className="text-xs text-faint">
        <code className="font-mono [overflow-wrap:anywhere]">{id}</code>, created {formatDate(created_at)}
      </p>
    </div>
  )
}

function creditsOf({ unlimited, available, reserved }: OperatorAccount): string {
  if (unlimited) return 'Unlimited'
  return reserved > 0 ? `${formatNumber(available)} + ${formatNumber(reserved)} reserved` : formatNumber(available)
}

function AccountState({ account }: { account: OperatorAccount }) {
  if (account.suspended_at) {
    return (
      <Badge tone="invalid" icon={<Ban aria-hidden="true" />}>
        Suspended
      </Badge>
    )
  }
  if (account.on_hold_at) {
    return (
      <Badge tone="risky" icon={<OctagonPause aria-hidden="true" />}>
        On hold
      </Badge>
    )
  }
  return (
    <Badge tone="valid" icon={<CircleCheck aria-hidden="true" />}>
      Active
    </Badge>
  )
}

function AccountMenu({ account, onAsk }: { account: OperatorAccount; onAsk(asked: AccountAction): void }) {
  const isSuspended = account.suspended_at !== null
  return (
    <Menu
      label={`Actions for ${account.name}`}
      trigger={
        <IconButton label={`Actions for ${account.name}`} size="sm">
          <Ellipsis />
        </IconButton>
      }
    >
      <MenuItem icon={<Coins aria-hidden="true" />} onSelect={() => onAsk({ kind: 'credits', account })}>
        Adjust credits
      </MenuItem>
      <MenuItem icon={<Layers aria-hidden="true" />} onSelect={() => onAsk({ kind: 'plan', account })}>
        Change plan
      </MenuItem>
      <MenuLink>
        <Link to="/operator/audit-log" search={(now) => ({ mode: now.mode, org: now.org, account: account.id })}>
          <History aria-hidden="true" />
          Audit log
        </Link>
      </MenuLink>
      <MenuLine />
      {isSuspended ? (
        <MenuItem icon={<Undo2 aria-hidden="true" />} onSelect={() => onAsk({ kind: 'reactivate', account })}>
          Reactivate
        </MenuItem>
      ) : (
        <MenuItem danger icon={<Ban aria-hidden="true" />} onSelect={() => onAsk({ kind: 'suspend', account })}>
          Suspend
        </MenuItem>
      )}
    </Menu>
  )
}

/** The action that an operator has chosen for an account. */
export type AccountAction = { kind: 'credits' | 'plan' | 'suspend' | 'reactivate'; account: OperatorAccount }

type AskedProps = { account: OperatorAccount; onClose(): void }

export function AccountDialogs({ asked, plans, onClose }: { asked: AccountAction; plans: string[]; onClose(): void }) {
  const { kind, account } = asked
  switch (kind) {
    case 'credits':
      return <CreditsDialog account={account} onClose={onClose} />
    case 'plan':
      return <PlanDialog account={account} plans={plans} onClose={onClose} />
    case 'suspend':
      return <SuspendDialog account={account} onClose={onClose} />
    case 'reactivate':
      return <ReactivateDialog account={account} onClose={onClose} />
  }
}

const WHOLE = /^-?\d{1,10}$/

function CreditsDialog({ account, onClose }: AskedProps) {
  const call = useOperatorCall()
  const form = useForm({ defaultValues: { credits: '', note: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ credits, note }) => {
    const body = { credits: Number(credits), note: note.trim() }
    const done = Number(credits) > 0 ? 'added to' : 'deducted from'
    await call(
      `/accounts/${account.id}/credits`,
      body,
      `${formatNumber(Math.abs(Number(credits)))} credits ${done} ${account.name}.`,
    )
    onClose()
  })
  const { errors, isSubmitting } = form.formState
  return (
    <Dialog open onClose={onClose} title={`Credits of ${account.name}`}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <Field
          label="Credits"
          hint={`Use a negative number to deduct credits. Available: ${formatNumber(account.available)}.`}
          error={errors.credits?.message}
        >
          {(ids) => (
            <TextInput
              {...ids}
              inputMode="numeric"
              autoComplete="off"
              {...form.register('credits', {
                validate: (text) =>
                  (WHOLE.test(text.trim()) && Number(text) !== 0) || 'Enter a whole number other than zero.',
              })}
            />
          )}
        </Field>
        <Field
          label="Reason"
          hint="Shown to the customer in the ledger and recorded in the audit log."
          error={errors.note?.message}
        >
          {(ids) => (
            <TextInput
              {...ids}
              maxLength={200}
              autoComplete="off"
              {...form.register('note', { validate: (text) => text.trim() !== '' || 'Enter a reason.' })}
            />
          )}
        </Field>
        <Buttons onClose={onClose} busy={isSubmitting} word="Adjust credits" />
      </form>
    </Dialog>
  )
}

function PlanDialog({ account, plans, onClose }: AskedProps & { plans: string[] }) {
  const call = useOperatorCall()
  const form = useForm({ defaultValues: { plan: account.plan }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ plan }) => {
    await call(`/accounts/${account.id}/plan`, { plan }, `${account.name} is now on the plan ${planLabel(plan)}.`)
    onClose()
  })
  const { isSubmitting, isDirty } = form.formState
  return (
    <Dialog open onClose={onClose} title={`Plan of ${account.name}`}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <Field
          label="Plan"
          hint="Takes effect immediately. An active subscription resets the plan at its next renewal."
        >
          {(ids) => (
            <SelectInput {...ids} {...form.register('plan')}>
              {plans.map((plan) => (
                <option key={plan} value={plan}>
                  {planLabel(plan)}
                </option>
              ))}
            </SelectInput>
          )}
        </Field>
        <Buttons onClose={onClose} busy={isSubmitting} disabled={!isDirty} word="Change plan" />
      </form>
    </Dialog>
  )
}

type ButtonsProps = { onClose(): void; busy: boolean; disabled?: boolean; word: string }

function Buttons({ onClose, busy, disabled = false, word }: ButtonsProps) {
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" look="primary" busy={busy} disabled={disabled}>
        {word}
      </Button>
    </div>
  )
}

function SuspendDialog({ account, onClose }: AskedProps) {
  return (
    <ConfirmCall
      title={`Suspend ${account.name}?`}
      confirm="Suspend account"
      danger
      path={`/accounts/${account.id}/suspend`}
      done={`${account.name} suspended.`}
      onClose={onClose}
    >
      <p>
        API keys stop working within a second, members get read-only access, and lists are paused. No data is deleted
        and no credits are deducted.
      </p>
    </ConfirmCall>
  )
}

function ReactivateDialog({ account, onClose }: AskedProps) {
  return (
    <ConfirmCall
      title={`Reactivate ${account.name}?`}
      confirm="Reactivate account"
      path={`/accounts/${account.id}/reactivate`}
      done={`${account.name} reactivated.`}
      onClose={onClose}
    >
      <p>API keys work again within a second. Lists stay paused until a member of the account resumes them.</p>
    </ConfirmCall>
  )
}
