import type { UseFormRegisterReturn } from 'react-hook-form'
import { Field, TextInput } from '../../../ui/Field.tsx'

/** A basic check only: the API validates the address. */
export const EMAIL_RULES = {
  required: 'Enter your email address.',
  maxLength: { value: 254, message: 'The address is too long.' },
  pattern: { value: /\S+@\S+/, message: 'An email address must contain an @.' },
} as const

type EmailProps = {
  label?: string
  input: UseFormRegisterReturn
  error: string | undefined
  /** Shown read-only. */
  fixed?: boolean
}

export function EmailField({ label = 'Email address', input, error, fixed = false }: EmailProps) {
  return (
    <Field label={label} error={error}>
      {(ids) => (
        <TextInput
          {...ids}
          {...input}
          readOnly={fixed}
          type="email"
          inputMode="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
        />
      )}
    </Field>
  )
}
