import type { UseFormRegisterReturn } from 'react-hook-form'
import { Field } from './Field.tsx'
import { PasswordInput } from './PasswordInput.tsx'

export const PASSWORD_RULES = { required: 'Enter your password.' } as const

type CurrentPasswordProps = { input: UseFormRegisterReturn; error: string | undefined; autoFocus?: boolean }

/** The user's current password, which sensitive actions require. */
export function CurrentPasswordField({ input, error, autoFocus = false }: CurrentPasswordProps) {
  return (
    <Field label="Your password" error={error}>
      {(ids) => <PasswordInput {...ids} {...input} autoComplete="current-password" autoFocus={autoFocus} />}
    </Field>
  )
}
