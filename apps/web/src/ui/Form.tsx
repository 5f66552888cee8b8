import { useQueryClient } from '@tanstack/react-query'
import { Check, CircleAlert } from 'lucide-react'
import { type FormEvent, useEffect, useId, useRef } from 'react'
import type { FieldError, FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { describeError } from '../labels/error-messages.ts'
import { asRequestFailed, type RequestFailed } from '../session/client.ts'
import { noticeSignedOut } from '../session/session.ts'
import { Button } from './Button.tsx'
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

/** Submits a form once, however often it is clicked. Errors are shown at their field or above the form. */
export function useSubmit<T extends FieldValues>(form: UseFormReturn<T>, send: (values: T) => Promise<unknown>) {
  const queryClient = useQueryClient()
  const isSending = useRef(false)
  const submit = form.handleSubmit(async (values) => {
    try {
      await send(values)
    } catch (error) {
      noticeSignedOut(queryClient, error)
      showFailure(form, asRequestFailed(error))
    }
  })
  return (event: FormEvent) => {
    event.preventDefault()
    if (isSending.current) return
    isSending.current = true
    void submit(event).finally(() => {
      isSending.current = false
    })
  }
}

function showFailure<T extends FieldValues>(form: UseFormReturn<T>, failed: RequestFailed): void {
  const known = Object.keys(form.getValues())
  const faults = failed.fields.map(({ pointer, detail }) => ({ name: pointer.replace(/^\//, ''), detail }))
  const shown = faults.filter(({ name }) => known.includes(name))
  for (const { name, detail } of shown) form.setError(name as Path<T>, { message: asSentence(detail) })
  if (shown.length > 0) return
  const isOurs = failed.status === 0 || failed.status >= 500
  const reference = isOurs && failed.requestId ? ` Request ID: ${failed.requestId}.` : ''
  form.setError('root', { message: `${describeError(failed)}${reference}` })
}

/** Most field errors of the service continue the field name; some are complete sentences. */
function asSentence(detail: string): string {
  return /^[A-Z]/.test(detail) ? detail : `This ${detail}.`
}

type SaveLineProps = { isDirty: boolean; isBusy: boolean; isSaved: boolean; label?: string }

/** The save button of a form, and its state. */
export function SaveLine({ isDirty, isBusy, isSaved, label = 'Save' }: SaveLineProps) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button type="submit" look="primary" busy={isBusy} disabled={!isDirty && !isBusy}>
        {label}
      </Button>
      <p role="status" className="flex items-center gap-1.5 text-soft">
        {isSaved && !isDirty && (
          <>
            <Check className="size-4 text-valid" aria-hidden="true" />
            Saved.
          </>
        )}
        {isDirty && !isBusy && 'Unsaved changes.'}
      </p>
    </div>
  )
}
