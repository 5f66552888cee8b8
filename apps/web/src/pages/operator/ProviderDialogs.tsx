import type { OperatorProvider } from '@probity/contract/operator'
import { useForm } from 'react-hook-form'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field, SelectInput } from '../../ui/Field.tsx'
import { FormSummary } from '../../ui/FormSummary.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { ConfirmCall } from './ConfirmCall.tsx'
import { nameOf } from './name-of.ts'
import { useOperatorCall } from './use-operator-call.ts'

/** What an operator is about to do to a provider. */
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
      title={`Pause ${name}?`}
      confirm="Pause"
      path="/provider_controls"
      body={{ provider, is_paused: true }}
      done={`${name} is not asked any more.`}
      onClose={onClose}
    >
      <p>
        Within two seconds no worker asks its mail servers. Lists wait for it for some hours; callers are told unknown
        and that we try again, and get their credit back where that leads to nothing.
      </p>
    </ConfirmCall>
  )
}

function ResumeDialog({ provider: { provider }, onClose }: AskedProps) {
  const name = nameOf(provider)
  return (
    <ConfirmCall
      title={`Ask ${name} again?`}
      confirm="Ask again"
      path="/provider_controls"
      body={{ provider, is_paused: false }}
      done={`${name} is asked again.`}
      onClose={onClose}
    >
      <p>What waits for it goes on within a minute, at the pace that the provider bears.</p>
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
    await call(
      '/provider_controls',
      { provider, rate_percent: Number(chosen) },
      `${name} gets ${chosen} % of its rate.`,
    )
    onClose()
  })
  const { isSubmitting, isDirty } = form.formState
  return (
    <Dialog open onClose={onClose} title={`Rate of ${name}`}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <Field
          label="Rate"
          hint="Of the connections, and of the new ones in a minute, that the provider bears. At least one stays."
        >
          {(ids) => (
            <SelectInput {...ids} {...form.register('rate_percent')}>
              {[...new Set([...RATES, rate_percent])].map((rate) => (
                <option key={rate} value={rate}>
                  {rate} %
                </option>
              ))}
            </SelectInput>
          )}
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={isSubmitting} disabled={!isDirty}>
            Change the rate
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
