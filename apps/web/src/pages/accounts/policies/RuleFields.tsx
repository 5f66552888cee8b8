import { statusLabel } from '@probity/contract/constants/labels'
import { STATUSES, SUB_STATUSES, TRAIT_NAMES } from '@probity/contract/constants/validations'
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { type UseFormReturn, useFieldArray } from 'react-hook-form'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Checkbox, Field, SelectInput, TextInput } from '../../../ui/Field.tsx'
import { reasonWord, traitWord } from './policies.ts'
import { EMPTY_RULE, isEmptyWhen, type PolicyValues, RULES_MAX, readDeliverability } from './policy-form.ts'

/** The editable rules. Moves and removals are announced to screen readers, and the focus stays with the rule. */
export function RuleFields({ form }: { form: UseFormReturn<PolicyValues> }) {
  const { fields, append, remove, move } = useFieldArray({ control: form.control, name: 'rules' })
  const [said, setSaid] = useState('')
  const list = useRef<HTMLOListElement>(null)
  const [wanted, setWanted] = useState<{ place: number; part: Part }>()
  useEffect(() => {
    if (wanted) focusOn(list.current, wanted)
  }, [wanted])

  const shift = (from: number, to: number) => {
    move(from, to)
    setSaid(`Rule ${from + 1} moved to position ${to + 1}.`)
    setWanted({ place: to, part: to < from ? 'up' : 'down' })
  }
  const drop = (place: number) => {
    remove(place)
    setSaid(`Rule ${place + 1} removed.`)
    setWanted({ place: Math.max(0, place - 1), part: 'box' })
  }
  const add = () => {
    append(EMPTY_RULE, { shouldFocus: false })
    setSaid(`Rule ${fields.length + 1} added.`)
    setWanted({ place: fields.length, part: 'box' })
  }
  return (
    <div className="flex flex-col gap-4">
      <p role="status" className="sr-only">
        {said}
      </p>
      {fields.length === 0 && <p className="text-soft">No rules. The default decision applies to every address.</p>}
      <ol ref={list} aria-label="Rules" className="flex flex-col gap-4">
        {fields.map(({ id }, place) => (
          <li key={id} tabIndex={-1} className="flex flex-col gap-4 rounded-lg border border-line p-4">
            <div className="flex items-center justify-between gap-2">
              <h3 className="font-semibold">Rule {place + 1}</h3>
              <div className="flex gap-1">
                <RuleButton part="up" place={place} isLast={place === 0} onClick={() => shift(place, place - 1)} />
                <RuleButton
                  part="down"
                  place={place}
                  isLast={place === fields.length - 1}
                  onClick={() => shift(place, place + 1)}
                />
                <RuleButton part="remove" place={place} onClick={() => drop(place)} />
              </div>
            </div>
            <ConditionFields form={form} place={place} />
            <DecisionFields form={form} at={`rules.${place}`} what={`Rule ${place + 1}`} />
          </li>
        ))}
      </ol>
      {fields.length < RULES_MAX && (
        <Button className="self-start" onClick={add} icon={<Plus className="size-4" aria-hidden="true" />}>
          Add rule
        </Button>
      )}
    </div>
  )
}

type Part = 'up' | 'down' | 'remove' | 'box'

const LABELS = { up: 'up', down: 'down', remove: '' } as const
const ICONS = { up: ArrowUp, down: ArrowDown, remove: Trash2 }

type RuleButtonProps = { part: Exclude<Part, 'box'>; place: number; isLast?: boolean; onClick(): void }

/** Not disabled at the ends, so that the focus is kept after the last move. */
function RuleButton({ part, place, isLast = false, onClick }: RuleButtonProps) {
  const Icon = ICONS[part]
  const label = part === 'remove' ? `Remove rule ${place + 1}` : `Move rule ${place + 1} ${LABELS[part]}`
  return (
    <IconButton
      label={label}
      size="sm"
      data-part={part}
      aria-disabled={isLast || undefined}
      onClick={() => !isLast && onClick()}
    >
      <Icon aria-hidden="true" />
    </IconButton>
  )
}

function focusOn(list: HTMLOListElement | null, { place, part }: { place: number; part: Part }): void {
  const box = list?.children[place]
  if (!(box instanceof HTMLElement)) return
  const button = part === 'box' ? null : box.querySelector<HTMLElement>(`[data-part="${part}"]`)
  const target = button ?? box
  target.focus()
}

type ConditionProps = { form: UseFormReturn<PolicyValues>; place: number }

/** The conditions of a rule: all conditions must match, and one value of each list. */
function ConditionFields({ form, place }: ConditionProps) {
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
            label={statusLabel(status)}
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
  const deliverability = (name: 'deliverability_from' | 'deliverability_below', label: string) => (
    <Field label={label} error={form.getFieldState(`${path}.${name}`, form.formState).error?.message}>
      {(ids) => (
        <TextInput
          {...ids}
          {...form.register(`${path}.${name}`, { validate: (typed) => isDeliverability(typed, place) })}
          inputMode="decimal"
          autoComplete="off"
          placeholder="Any"
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
            <option value="">Any</option>
            <option value="true">Yes</option>
            <option value="false">No</option>
          </SelectInput>
        )}
      </Field>
      {deliverability('deliverability_from', 'Deliverability, minimum (%)')}
      {deliverability('deliverability_below', 'Deliverability, below (%)')}
    </div>
  )
}

function isDeliverability(typed: string, place: number): true | string {
  return (
    typed.trim() === '' ||
    readDeliverability(typed) !== undefined ||
    `Rule ${place + 1}: deliverability is a percentage from 0 to 100.`
  )
}

type DecisionFieldsProps = {
  form: UseFormReturn<PolicyValues>
  at: 'default' | `rules.${number}`
  /** The name of the rule, used in error messages. */
  what: string
}

/** The decision and the reason in the response. */
export function DecisionFields({ form, at, what }: DecisionFieldsProps) {
  const error = form.getFieldState(`${at}.reason`, form.formState).error?.message
  return (
    <div className="flex flex-wrap gap-4">
      <Field label="Decision" className="basis-36">
        {(ids) => (
          <SelectInput {...ids} {...form.register(`${at}.decision`)}>
            <option value="allow">Allow</option>
            <option value="review">Review</option>
            <option value="block">Block</option>
          </SelectInput>
        )}
      </Field>
      <Field label="Reason in the response" className="min-w-0 flex-1 basis-64" error={error}>
        {(ids) => (
          <TextInput
            {...ids}
            {...form.register(`${at}.reason`, {
              validate: (reason) => reason.trim() !== '' || `${what}: enter a reason.`,
            })}
            autoComplete="off"
            maxLength={200}
          />
        )}
      </Field>
    </div>
  )
}
