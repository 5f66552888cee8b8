import type { OperatorProvider } from '@probity/contract/schemas/operators'
import { useForm } from 'react-hook-form'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field, SelectInput } from '../../ui/Field.tsx'
import { FormSummary } from '../../ui/FormSummary.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { ConfirmCall } from './ConfirmCall.tsx'
import { nameOf } from './name-of.ts'
import { useOperatorCall } from './use-operator-call.ts'

/** The action that an operator has chosen for a provider. */
export type AskedProvider = { kind: 'pause' | 'resume' | 'rate' | 'lift'; provider: OperatorProvider }

type AskedProps = { provider: OperatorProvider; onClose(): void }

export function ProviderDialogs({ asked: { kind, provider }, onClose }: { asked: AskedProvider; onClose(): void }) {
  switch (kind) {
    case 'pause':
      return <PauseDialog provider={provider} onClose={onClose} />
    case 'resume':
      return <ResumeDialog provider={provider} onClose={onClose} />
    case 'rate':
      return <RateDialog provider={provider} onClose={onClose} />
    case 'lift':
      return <LiftDialog provider={provider} onClose={onClose} />
  }
}

function PauseDialog({ provider: { provider }, onClose }: AskedProps) {
  const name = nameOf(provider)
  return (
    <ConfirmCall
      title={`Pause probing ${name}?`}
      confirm="Pause"
      path="/provider_controls"
      body={{ provider, is_paused: true }}
      done={`Probing paused for ${name}.`}
      onClose={onClose}
    >
      <p>
        Workers stop probing this provider within 2 seconds. Lists wait, for several hours at most. Single requests
        return <code className="font-mono">unknown</code> with <code className="font-mono">retry_at</code> and are
        refunded if no result follows.
      </p>
    </ConfirmCall>
  )
}

function ResumeDialog({ provider: { provider }, onClose }: AskedProps) {
  const name = nameOf(provider)
  return (
    <ConfirmCall
      title={`Resume probing ${name}?`}
      confirm="Resume"
      path="/provider_controls"
      body={{ provider, is_paused: false }}
      done={`Probing resumed for ${name}.`}
      onClose={onClose}
    >
      <p>Waiting addresses resume within a minute, within the provider’s limits.</p>
    </ConfirmCall>
  )
}

function LiftDialog({ provider: { provider }, onClose }: AskedProps) {
  const name = nameOf(provider)
  return (
    <ConfirmCall
      title={`Lift the suspension of ${name}?`}
      confirm="Lift suspension"
      path="/providers/lift-suspension"
      body={{ provider }}
      done={`Suspension of ${name} lifted.`}
      onClose={onClose}
    >
      <p>
        Workers connect to {name} again at once, from all egresses. Deferred addresses keep their retry time. If the
        provider still blocks this installation, it is suspended again.
      </p>
    </ConfirmCall>
  )
}

const RATES = [100, 75, 50, 25, 10, 5] as const

function RateDialog({ provider: { provider, rate_percent }, onClose }: AskedProps) {
  const call = useOperatorCall()
  const name = nameOf(provider)
  const form = useForm({ defaultValues: { rate_percent: String(rate_percent) }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ rate_percent: chosen }) => {
    await call('/provider_controls', { provider, rate_percent: Number(chosen) }, `Rate of ${name} set to ${chosen}%.`)
    onClose()
  })
  const { isSubmitting, isDirty } = form.formState
  return (
    <Dialog open onClose={onClose} title={`Rate of ${name}`}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <Field
          label="Rate"
          hint="Percentage of the provider’s limits for open and new connections. The minimum is one connection."
        >
          {(ids) => (
            <SelectInput {...ids} {...form.register('rate_percent')}>
              {[...new Set([...RATES, rate_percent])].map((rate) => (
                <option key={rate} value={rate}>
                  {rate}%
                </option>
              ))}
            </SelectInput>
          )}
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={isSubmitting} disabled={!isDirty}>
            Change rate
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
