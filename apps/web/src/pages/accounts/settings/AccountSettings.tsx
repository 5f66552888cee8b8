import { BASE_RATES } from '@probity/contract/constants/data/model-parameters'
import { mayUse } from '@probity/contract/constants/users'
import type { Account, UpdateAccountOptions } from '@probity/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { TRAIT_WORDS } from '../../../labels/traits.ts'
import { probityFor } from '../../../session/client.ts'
import { refreshSession } from '../../../session/session.ts'
import { accountQuery, useScene } from '../../../session/workspace.ts'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Checkbox, Field, TextInput } from '../../../ui/Field.tsx'
import { FormSummary, SaveLine, useSubmit } from '../../../ui/Form.tsx'
import { formatCount, formatDate } from '../../../ui/format.ts'
import { PageFrame } from '../../../ui/States.tsx'
import { UnsavedGuard } from '../../../ui/UnsavedGuard.tsx'
import { LeaveCard } from '../../users/members/MembersPage.tsx'
import { ACCOUNT_NAME_RULES, NameField } from '../../users/sign-in/fields.tsx'

export function AccountSettings() {
  const scene = useScene()
  const account = useQuery(accountQuery(scene))
  const mayChange = mayUse(scene.membership.role, 'account:write', false)
  return (
    <>
      {!mayChange && <Callout>Read-only. Owners and admins can change these settings.</Callout>}
      <NameCard mayChange={mayChange} />
      {account.data === undefined && (
        <Card title="Account settings">
          <PageFrame query={account} failed="The account settings could not be loaded" lines={4} />
        </Card>
      )}
      {account.data && (
        <>
          <RetentionCard
            days={account.data.retention_days}
            daysMax={Math.max(account.data.limits.retention_days_max, account.data.retention_days)}
            mayChange={mayChange}
          />
          <SendingCard sending={account.data.sending} mayChange={mayChange} />
        </>
      )}
      <LeaveCard />
    </>
  )
}

function NameCard({ mayChange }: { mayChange: boolean }) {
  const { membership } = useScene()
  const change = useChangeAccount()
  const [isSaved, setSaved] = useState(false)
  const form = useForm({ values: { name: membership.name }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ name }) => {
    await change({ name: name.trim() })
    form.reset({ name: name.trim() })
    setSaved(true)
  })
  const { errors, isDirty, isSubmitting } = form.formState
  return (
    <Card title="Name">
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <UnsavedGuard isDirty={isDirty} />
        <FormSummary form={form} />
        <NameField
          label="Account name"
          hint="Visible to members and invited users."
          autoComplete="off"
          readOnly={!mayChange}
          input={form.register('name', ACCOUNT_NAME_RULES)}
          error={errors.name?.message}
        />
        {mayChange && <SaveLine isDirty={isDirty} isBusy={isSubmitting} isSaved={isSaved} />}
      </form>
    </Card>
  )
}

const DAY_MS = 86_400_000

type RetentionCardProps = { days: number; daysMax: number; mayChange: boolean }

function RetentionCard({ days, daysMax, mayChange }: RetentionCardProps) {
  const change = useChangeAccount()
  const [isSaved, setSaved] = useState(false)
  const form = useForm({ values: { retention_days: String(days) }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ retention_days: typed }) => {
    await change({ retentionDays: Number(typed) })
    form.reset({ retention_days: typed })
    setSaved(true)
  })
  const { errors, isDirty, isSubmitting } = form.formState
  return (
    <Card
      title="Retention"
      about="How long results are stored. Expired addresses and results are deleted. Counts and credit transactions are kept."
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <UnsavedGuard isDirty={isDirty} />
        <FormSummary form={form} />
        <Field
          label="Days"
          hint={<RetentionHint typed={form.watch('retention_days')} daysMax={daysMax} />}
          error={errors.retention_days?.message}
        >
          {(ids) => (
            <TextInput
              {...ids}
              {...form.register('retention_days', { validate: (typed: string) => isDays(typed, daysMax) })}
              inputMode="numeric"
              readOnly={!mayChange}
              className="max-w-28"
            />
          )}
        </Field>
        {mayChange && <SaveLine isDirty={isDirty} isBusy={isSubmitting} isSaved={isSaved} />}
      </form>
    </Card>
  )
}

function isDays(typed: string, daysMax: number): true | string {
  const isRight = /^\d{1,3}$/.test(typed.trim()) && Number(typed) <= daysMax
  return isRight || `Enter a whole number from 0 to ${daysMax}.`
}

/** The effect of the number. */
function RetentionHint({ typed, daysMax }: { typed: string; daysMax: number }) {
  if (isDays(typed, daysMax) !== true) return `From 0 to ${daysMax}. Applies to new lists and validations.`
  const days = Number(typed)
  if (days === 0)
    return 'Results are deleted within two days after validation completes. Applies to new lists and validations.'
  const until = formatDate(Date.now() + days * DAY_MS)
  return `Results created today expire after ${formatCount(days, 'day')}, on ${until}. Applies to new lists and validations.`
}

type Sending = Account['sending']
type Values = { tolerance: string; excludedTraits: Sending['excluded_traits'] }

const TRAITS = Object.keys(TRAIT_WORDS) as Sending['excluded_traits']

/** Bounce tolerance and exclusions of the account. */
function SendingCard({ sending, mayChange }: { sending: Sending; mayChange: boolean }) {
  const change = useChangeAccount()
  const [isSaved, setSaved] = useState(false)
  const form = useForm<Values>({ values: valuesOf(sending), shouldFocusError: false })
  const submit = useSubmit(form, async ({ tolerance, excludedTraits }) => {
    await change({ sending: { threshold: readThreshold(tolerance), excluded_traits: excludedTraits } })
    form.reset({ tolerance, excludedTraits })
    setSaved(true)
  })
  const { isDirty, isSubmitting } = form.formState
  return (
    <Card
      title="Safe to send"
      about="Determines which results are marked safe to send. Changes apply to new validations within a minute. Existing results do not change."
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <UnsavedGuard isDirty={isDirty} />
        <FormSummary form={form} />
        <BorneField form={form} mayChange={mayChange} />
        <fieldset className="flex flex-col gap-2.5">
          <legend className="mb-2 font-medium">Always exclude</legend>
          {TRAITS.map((name) => (
            <Checkbox
              key={name}
              {...form.register('excludedTraits')}
              value={name}
              disabled={!mayChange}
              label={TRAIT_WORDS[name].label}
              hint={TRAIT_WORDS[name].about}
            />
          ))}
        </fieldset>
        {mayChange && <SaveLine isDirty={isDirty} isBusy={isSubmitting} isSaved={isSaved} />}
      </form>
    </Card>
  )
}

function valuesOf({ threshold, excluded_traits: excluded }: Sending): Values {
  // In the order of the checkboxes: otherwise checking a box again would count as a change.
  return { tolerance: formatTolerance(threshold), excludedTraits: TRAITS.filter((name) => excluded.includes(name)) }
}

function BorneField({ form, mayChange }: { form: UseFormReturn<Values>; mayChange: boolean }) {
  return (
    <Field
      label="Bounce tolerance (%)"
      hint={<ToleranceHint typed={form.watch('tolerance')} />}
      error={form.formState.errors.tolerance?.message}
    >
      {(ids) => (
        <TextInput
          {...ids}
          {...form.register('tolerance', { validate: isTolerance })}
          inputMode="decimal"
          autoComplete="off"
          readOnly={!mayChange}
          className="max-w-28 tabular-nums"
        />
      )}
    </Field>
  )
}

function isTolerance(typed: string): true | string {
  return readTolerance(typed) !== undefined || 'Enter a number from 0.1 to 50.'
}

/** The effect of the number. */
function ToleranceHint({ typed }: { typed: string }) {
  const tolerance = readTolerance(typed)
  if (tolerance === undefined) return 'From 0.1 to 50.'
  const best = BASE_RATES[''].p
  if (readThreshold(typed) > best) {
    return `Stricter than an SMTP confirmation: about ${formatTolerance(best)}% of confirmed addresses bounce. Few addresses are safe to send until you report outcomes of your mail.`
  }
  const kept = 100 - tolerance
  return `An address is safe to send if its deliverability is at least ${Number(kept.toFixed(2))}%.`
}

/** Changes account settings and refetches the queries that show them. */
function useChangeAccount() {
  const scene = useScene()
  const queryClient = useQueryClient()
  return async (change: Pick<UpdateAccountOptions, 'name' | 'retentionDays' | 'sending'>) => {
    // Account settings are the same in both modes.
    const probity = probityFor({ accountId: scene.membership.account_id, mode: 'live' })
    await probity.account.update(change)
    await Promise.all([queryClient.invalidateQueries(accountQuery(scene)), refreshSession(queryClient)])
  }
}

const TOLERANCE_MIN = 0.1
const TOLERANCE_MAX = 50

/** The typed bounce tolerance in percent, with a comma or a point; undefined if it is not a valid number. */
export function readTolerance(typed: string): number | undefined {
  const text = typed.trim().replace(',', '.')
  if (!/^\d{1,2}(\.\d{1,4})?$/.test(text)) return undefined
  const tolerance = Number(text)
  return tolerance >= TOLERANCE_MIN && tolerance <= TOLERANCE_MAX ? tolerance : undefined
}

/** The deliverability threshold for a bounce tolerance. */
export function readThreshold(typed: string): number {
  return rounded(1 - (readTolerance(typed) ?? 0) / 100, 6)
}

export function formatTolerance(chance: number): string {
  return String(rounded((1 - chance) * 100, 4))
}

/** Removes floating-point noise beyond the typed digits. */
function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
