import type { UseFormRegisterReturn } from 'react-hook-form'
import { Field, TextInput } from '../../../ui/Field.tsx'

const rules = (missing: string) => ({
  validate: (name: string) => name.trim() !== '' || missing,
  maxLength: { value: 200, message: 'The name can have at most 200 characters.' },
})

export const PERSON_NAME_RULES = rules('Enter your name.')
export const ACCOUNT_NAME_RULES = rules('Enter a name for the account.')

type NameProps = {
  input: UseFormRegisterReturn
  error: string | undefined
  label?: string
  hint?: string
  autoComplete?: string
  readOnly?: boolean
}

export function NameField({
  input,
  error,
  label = 'Your name',
  hint,
  autoComplete = 'name',
  readOnly = false,
}: NameProps) {
  return (
    <Field label={label} error={error} hint={hint}>
      {(ids) => <TextInput {...ids} {...input} autoComplete={autoComplete} readOnly={readOnly} />}
    </Field>
  )
}
