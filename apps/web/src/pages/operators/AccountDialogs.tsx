import type { OperatorAccount } from '@probity/contract/schemas/operators'
import { useForm } from 'react-hook-form'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field, SelectInput, TextInput } from '../../ui/Field.tsx'
import { FormSummary } from '../../ui/FormSummary.tsx'
import { formatNumber } from '../../ui/format.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { ConfirmCall } from './ConfirmCall.tsx'
import { useOperatorCall } from './use-operator-call.ts'

/** The action that an operator has chosen for an account. */
export type Asked = { kind: 'credits' | 'plan' | 'suspend' | 'unsuspend'; account: OperatorAccount }

type AskedProps = { account: OperatorAccount; onClose(): void }

export function AccountDialogs({ asked, plans, onClose }: { asked: Asked; plans: string[]; onClose(): void }) {
  const { kind, account } = asked
  switch (kind) {
    case 'credits':
      return <CreditsDialog account={account} onClose={onClose} />
    case 'plan':
      return <PlanDialog account={account} plans={plans} onClose={onClose} />
    case 'suspend':
      return <SuspendDialog account={account} onClose={onClose} />
    case 'unsuspend':
      return <UnsuspendDialog account={account} onClose={onClose} />
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
    await call(`/accounts/${account.id}/plan`, { plan }, `${account.name} is now on the ${plan} plan.`)
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
                  {plan}
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
      confirm="Suspend"
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

function UnsuspendDialog({ account, onClose }: AskedProps) {
  return (
    <ConfirmCall
      title={`Reactivate ${account.name}?`}
      confirm="Reactivate"
      path={`/accounts/${account.id}/unsuspend`}
      done={`${account.name} reactivated.`}
      onClose={onClose}
    >
      <p>API keys work again within a second. Lists stay paused until a member of the account resumes them.</p>
    </ConfirmCall>
  )
}
