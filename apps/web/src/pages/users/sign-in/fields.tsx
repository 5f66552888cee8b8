import { clsx } from 'clsx'
import type { UseFormRegisterReturn } from 'react-hook-form'
import { Field, PasswordInput, TextInput } from '../../../ui/Field.tsx'

/** A basic check only: the API validates the address. */
export const EMAIL_RULES = {
  required: 'Enter your email address.',
  maxLength: { value: 254, message: 'The address is too long.' },
  pattern: { value: /\S@\S/, message: 'An email address must contain an @.' },
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

const rules = (missing: string) => ({
  validate: (name: string) => name.trim() !== '' || missing,
  maxLength: { value: 200, message: 'The name can have at most 200 characters.' },
})

export const USER_NAME_RULES = rules('Enter your name.')
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

const LENGTH_MIN = 12

/** The API makes the final decision: it also rejects common passwords. */
export const NEW_PASSWORD_RULES = {
  required: 'Choose a password.',
  minLength: { value: LENGTH_MIN, message: 'The password must have at least 12 characters.' },
  maxLength: { value: 128, message: 'The password can have at most 128 characters.' },
} as const

type NewPasswordProps = { label?: string; input: UseFormRegisterReturn; value: string; error: string | undefined }

export function NewPasswordField({ label = 'Password', input, value, error }: NewPasswordProps) {
  return (
    <Field label={label} error={error} hint={<Strength password={value} />}>
      {(ids) => <PasswordInput {...ids} {...input} autoComplete="new-password" />}
    </Field>
  )
}

function Strength({ password }: { password: string }) {
  const { level, words } = judge(password)
  return (
    <span className="flex flex-col gap-1.5">
      <span aria-hidden="true" className="flex gap-1">
        {LEVELS.map((step) => (
          <span key={step} className={clsx('h-1 flex-1 rounded-full', step <= level ? LOOKS[level] : 'bg-line')} />
        ))}
      </span>
      {words}
    </span>
  )
}

const LEVELS = [1, 2, 3] as const
const LOOKS = ['bg-line', 'bg-risky-solid', 'bg-accent', 'bg-valid-solid'] as const

/** A rough estimate from length and variety. */
function judge(password: string): { level: 0 | 1 | 2 | 3; words: string } {
  const { length } = [...password]
  const variety = new Set(password).size
  if (length === 0) return { level: 0, words: 'At least 12 characters. A phrase of several words is easy to remember.' }
  if (length < LENGTH_MIN) return { level: 0, words: `${length} of at least 12 characters.` }
  if (variety < 6) return { level: 1, words: 'Weak: too many repeated characters.' }
  if (length < 16) return { level: 2, words: 'Fair. A longer password is stronger.' }
  return { level: 3, words: 'Strong. Do not use it for other services.' }
}
