import { CircleAlert } from 'lucide-react'
import { useEffect, useId, useRef } from 'react'
import type { FieldError, FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { formatCount } from './format.ts'

/** The errors of a submitted form. Takes the focus and links to each field. */
export function FormSummary<T extends FieldValues>({ form }: { form: UseFormReturn<T> }) {
  const { errors, submitCount } = form.formState
  const box = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => {
    if (submitCount > 0) box.current?.focus()
  }, [submitCount])

  const { root, ...rest } = errors
  const faults = listFaults<T>(rest)
  if (submitCount === 0 || (root === undefined && faults.length === 0)) return null
  const title = root?.message ?? `Please fix ${formatCount(faults.length, 'field')}.`
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need fields, and there are none here
    <div
      ref={box}
      role="group"
      tabIndex={-1}
      aria-labelledby={id}
      className="flex items-start gap-3 rounded-md bg-invalid-soft px-4 py-3 text-invalid focus:outline-none"
    >
      <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <p id={id} className="font-medium">
          {title}
        </p>
        <ul>
          {faults.map(([name, { message }]) => (
            <li key={name}>
              <button
                type="button"
                className="min-h-6 text-start underline underline-offset-2"
                onClick={() => form.setFocus(name)}
              >
                {message}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

/** Forms with lists have nested errors, such as `rules.2.reason`. */
function listFaults<T extends FieldValues>(errors: object, at = ''): [Path<T>, FieldError][] {
  return Object.entries(errors).flatMap(([name, fault]: [string, unknown]) => {
    if (typeof fault !== 'object' || fault === null || name === 'ref') return []
    if ('message' in fault || 'type' in fault) return [[`${at}${name}` as Path<T>, fault as FieldError]]
    return listFaults<T>(fault, `${at}${name}.`)
  })
}
