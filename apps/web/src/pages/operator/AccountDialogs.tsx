import type { OperatorAccount } from '@probity/contract/operator'
import { useForm } from 'react-hook-form'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field, SelectInput, TextInput } from '../../ui/Field.tsx'
import { FormSummary } from '../../ui/FormSummary.tsx'
import { formatNumber } from '../../ui/format.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { ConfirmCall } from './ConfirmCall.tsx'
import { useOperatorCall } from './use-operator-call.ts'

/** What an operator is about to do to an account. */
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
    const done = Number(credits) > 0 ? 'were given to' : 'were taken from'
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
          hint={`Below zero to take them. The account has ${formatNumber(account.available)}.`}
          error={errors.credits?.message}
        >
          {(ids) => (
            <TextInput
              {...ids}
              inputMode="numeric"
              autoComplete="off"
              {...form.register('credits', {
                validate: (text) =>
                  (WHOLE.test(text.trim()) && Number(text) !== 0) || 'Write a whole number that is not zero.',
              })}
            />
          )}
        </Field>
        <Field
          label="Why"
          hint="Stands in the ledger, where the customer reads it, and in the audit log."
          error={errors.note?.message}
        >
          {(ids) => (
            <TextInput
              {...ids}
              maxLength={200}
              autoComplete="off"
              {...form.register('note', { validate: (text) => text.trim() !== '' || 'Say why.' })}
            />
          )}
        </Field>
        <Buttons onClose={onClose} busy={isSubmitting} word="Move the credits" />
      </form>
    </Dialog>
  )
}

function PlanDialog({ account, plans, onClose }: AskedProps & { plans: string[] }) {
  const call = useOperatorCall()
  const form = useForm({ defaultValues: { plan: account.plan }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ plan }) => {
    await call(`/accounts/${account.id}/plan`, { plan }, `${account.name} has the plan ${plan} now.`)
    onClose()
  })
  const { isSubmitting, isDirty } = form.formState
  return (
    <Dialog open onClose={onClose} title={`Plan of ${account.name}`}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <Field
          label="Plan"
          hint="Holds at once. A subscription that is paid for sets its own plan again when it is renewed."
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
        <Buttons onClose={onClose} busy={isSubmitting} disabled={!isDirty} word="Change the plan" />
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
      done={`${account.name} is suspended.`}
      onClose={onClose}
    >
      <p>
        Its keys are refused within a second, its members can look and change nothing, and its lists are paused. Nothing
        is deleted and no credit is taken.
      </p>
    </ConfirmCall>
  )
}

function UnsuspendDialog({ account, onClose }: AskedProps) {
  return (
    <ConfirmCall
      title={`Let ${account.name} in again?`}
      confirm="Let in again"
      path={`/accounts/${account.id}/unsuspend`}
      done={`${account.name} is let in again.`}
      onClose={onClose}
    >
      <p>Its keys work again within a second. Its lists stay paused until somebody of the organisation resumes them.</p>
    </ConfirmCall>
  )
}
