import { CircleAlert } from 'lucide-react'
import { useEffect, useId, useRef } from 'react'
import type { FieldError, FieldValues, Path, UseFormReturn } from 'react-hook-form'

/** What is wrong with a form that was sent, above it. Takes the focus, and leads to each field. */
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
  const title = root?.message ?? (faults.length === 1 ? 'One field needs a look.' : 'Some fields need a look.')
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and here there are none
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

/** Forms with lists have their faults deeper down: `rules.2.reason`. */
function listFaults<T extends FieldValues>(errors: object, at = ''): [Path<T>, FieldError][] {
  return Object.entries(errors).flatMap(([name, fault]: [string, unknown]) => {
    if (typeof fault !== 'object' || fault === null || name === 'ref') return []
    if ('message' in fault || 'type' in fault) return [[`${at}${name}` as Path<T>, fault as FieldError]]
    return listFaults<T>(fault, `${at}${name}.`)
  })
}
