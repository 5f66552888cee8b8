import { STATUSES, SUB_STATUSES, TRAIT_NAMES } from '@probity/contract/constants/validations'
import type { ReactNode } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { Checkbox, Field, SelectInput, TextInput } from '../../../ui/Field.tsx'
import { isEmptyWhen, type PolicyValues, readChance } from './policy-form.ts'
import { reasonWord, traitWord } from './policy-words.ts'

type ConditionProps = { form: UseFormReturn<PolicyValues>; place: number }

/** The conditions of a rule: all conditions must match, and one value of each list. */
export function ConditionFields({ form, place }: ConditionProps) {
  const path = `rules.${place}` as const
  const { sub_status: reasons } = form.watch(path)
  const fault = form.getFieldState(`${path}.status`, form.formState).error?.message
  const isFilled = () => !isEmptyWhen(form.getValues(path)) || `Rule ${place + 1}: choose at least one condition.`
  return (
    <fieldset className="flex flex-col gap-4">
      <legend className="mb-2 font-medium">Conditions (all must match)</legend>
      <Boxes legend="Status">
        {Object.keys(STATUSES).map((status) => (
          <Checkbox
            key={status}
            {...form.register(`${path}.status`, { validate: isFilled })}
            value={status}
            label={status}
            aria-invalid={fault ? true : undefined}
          />
        ))}
      </Boxes>
      <Boxes legend="Address traits">
        {TRAIT_NAMES.map((trait) => (
          <Checkbox key={trait} {...form.register(`${path}.traits`)} value={trait} label={traitWord(trait)} />
        ))}
      </Boxes>
      <details open={reasons.length > 0 || undefined}>
        <summary className="w-fit text-accent-text underline-offset-4 hover:underline">
          Reasons{reasons.length > 0 ? ` (${reasons.length} selected)` : ' …'}
        </summary>
        <div className="mt-2 rounded-md border border-line bg-sunken p-3">
          <Boxes legend="Reasons" isHidden>
            {Object.keys(SUB_STATUSES).map((reason) => (
              <Checkbox
                key={reason}
                {...form.register(`${path}.sub_status`)}
                value={reason}
                label={<span className="[overflow-wrap:anywhere]">{reasonWord(reason)}</span>}
              />
            ))}
          </Boxes>
        </div>
      </details>
      <Bounds form={form} place={place} />
      {fault && <p className="text-[0.8125rem] text-invalid">{fault}</p>}
    </fieldset>
  )
}

function Boxes({ legend, isHidden = false, children }: { legend: string; isHidden?: boolean; children: ReactNode }) {
  return (
    <fieldset>
      <legend className={isHidden ? 'sr-only' : 'mb-1.5 text-soft'}>{legend}</legend>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(10.5rem,1fr))] gap-x-4 gap-y-2">{children}</div>
    </fieldset>
  )
}

function Bounds({ form, place }: ConditionProps) {
  const path = `rules.${place}` as const
  const chance = (name: 'deliverability_from' | 'deliverability_below', label: string) => (
    <Field label={label} error={form.getFieldState(`${path}.${name}`, form.formState).error?.message}>
      {(ids) => (
        <TextInput
          {...ids}
          {...form.register(`${path}.${name}`, { validate: (typed) => isChance(typed, place) })}
          inputMode="decimal"
          autoComplete="off"
          placeholder="any"
          className="max-w-32 tabular-nums"
        />
      )}
    </Field>
  )
  return (
    <div className="flex flex-wrap gap-4">
      <Field label="Safe to send">
        {(ids) => (
          <SelectInput {...ids} {...form.register(`${path}.safe_to_send`)} className="max-w-40">
            <option value="">any</option>
            <option value="true">yes</option>
            <option value="false">no</option>
          </SelectInput>
        )}
      </Field>
      {chance('deliverability_from', 'Deliverability, minimum')}
      {chance('deliverability_below', 'Deliverability, below')}
    </div>
  )
}

function isChance(typed: string, place: number): true | string {
  return (
    typed.trim() === '' ||
    readChance(typed) !== undefined ||
    `Rule ${place + 1}: deliverability is a number from 0 to 1.`
  )
}
