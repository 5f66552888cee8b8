import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef } from 'react'
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { plainWords } from '../labels/error-messages.ts'
import type { RequestFailed } from '../session/ask.ts'
import { asRequestFailed } from '../session/probity.ts'
import { noticeSignedOut } from '../session/session.ts'

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
  form.setError('root', { message: `${plainWords(failed)}${reference}` })
}

/** Most field errors of the service continue the field name; some are complete sentences. */
function asSentence(detail: string): string {
  return /^[A-Z]/.test(detail) ? detail : `This ${detail}.`
}
