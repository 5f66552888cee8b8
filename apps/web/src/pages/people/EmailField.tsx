import type { UseFormRegisterReturn } from 'react-hook-form'
import { Field, TextInput } from '../../ui/Field.tsx'

/** No more than a look: whether an address is one is the service's business. */
export const EMAIL_RULES = {
  required: 'Enter your email address.',
  maxLength: { value: 254, message: 'The address is too long.' },
  pattern: { value: /\S+@\S+/, message: 'An email address has an @ in it.' },
} as const

type EmailProps = {
  label?: string
  input: UseFormRegisterReturn
  error: string | undefined
  /** An address that is settled: shown, and not changed here. */
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
