import { BASE_RATES } from '@probity/contract/constants/data/model-parameters'
import type { Account } from '@probity/sdk'
import { useState } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { TRAIT_WORDS } from '../../../labels/traits.ts'
import { Card } from '../../../ui/Card.tsx'
import { Checkbox, Field, TextInput } from '../../../ui/Field.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { SaveLine } from '../../../ui/SaveLine.tsx'
import { UnsavedGuard } from '../../../ui/UnsavedGuard.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { chanceBorne, readBorne, writeBorne } from './bounces-borne.ts'
import { useChangeAccount } from './change-account.ts'

type Sending = Account['sending']
type Values = { borne: string; excludedTraits: Sending['excluded_traits'] }

const TRAITS = Object.keys(TRAIT_WORDS) as Sending['excluded_traits']

/** Bounce tolerance and exclusions of the account. */
export function SendingCard({ sending, mayChange }: { sending: Sending; mayChange: boolean }) {
  const change = useChangeAccount()
  const [isSaved, setSaved] = useState(false)
  const form = useForm<Values>({ values: valuesOf(sending), shouldFocusError: false })
  const submit = useSubmit(form, async ({ borne, excludedTraits }) => {
    await change({ sending: { threshold: chanceBorne(borne), excluded_traits: excludedTraits } })
    form.reset({ borne, excludedTraits })
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
  return { borne: writeBorne(threshold), excludedTraits: TRAITS.filter((name) => excluded.includes(name)) }
}

function BorneField({ form, mayChange }: { form: UseFormReturn<Values>; mayChange: boolean }) {
  return (
    <Field
      label="Bounce tolerance (%)"
      hint={<Meaning typed={form.watch('borne')} />}
      error={form.formState.errors.borne?.message}
    >
      {(ids) => (
        <TextInput
          {...ids}
          {...form.register('borne', { validate: isBorne })}
          inputMode="decimal"
          autoComplete="off"
          readOnly={!mayChange}
          className="max-w-28 tabular-nums"
        />
      )}
    </Field>
  )
}

function isBorne(typed: string): true | string {
  return readBorne(typed) !== undefined || 'Enter a number from 0.1 to 50.'
}

/** The effect of the number. */
function Meaning({ typed }: { typed: string }) {
  const borne = readBorne(typed)
  if (borne === undefined) return 'From 0.1 to 50.'
  const best = BASE_RATES[''].p
  if (chanceBorne(typed) > best) {
    return `Stricter than an SMTP confirmation: about ${writeBorne(best)}% of confirmed addresses bounce. Few addresses are safe to send until you report outcomes of your mail.`
  }
  const kept = 100 - borne
  return `An address is safe to send if its deliverability is at least ${Number(kept.toFixed(2))}%.`
}
