import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { type UseFormReturn, useFieldArray } from 'react-hook-form'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { ConditionFields } from './ConditionFields.tsx'
import { DecisionFields } from './DecisionFields.tsx'
import { EMPTY_RULE, type PolicyValues, RULES_MAX } from './policy-form.ts'

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
