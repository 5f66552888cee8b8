import { clsx } from 'clsx'
import { CircleAlert, Eye, EyeOff, Search } from 'lucide-react'
import {
  type ComponentProps,
  type InputHTMLAttributes,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import type { UseFormRegisterReturn } from 'react-hook-form'
import { isDay } from './format.ts'

type FieldProps = {
  label: ReactNode
  hint?: ReactNode
  error?: ReactNode
  /** Shows “optional” next to the label. */
  optional?: boolean
  className?: string
  children: (ids: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }) => ReactNode
}

/** Label, input, hint and error, associated for screen readers. */
export function Field({ label, hint, error, optional = false, className, children }: FieldProps) {
  const id = useId()
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ')
  return (
    <div className={clsx('flex flex-col gap-1.5', className)}>
      <label htmlFor={id} className="font-medium">
        {label}
        {optional && <span className="ms-1.5 font-normal text-faint">optional</span>}
      </label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} className="text-[0.8125rem] text-faint">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="flex items-start gap-1.5 text-[0.8125rem] text-invalid">
          <CircleAlert className="mt-0.5 size-3.5 shrink-0" aria-hidden="true" />
          {error}
        </p>
      )}
    </div>
  )
}

const BOX =
  'w-full rounded-md border border-edge bg-surface px-3 text-ink shadow-card transition-colors hover:border-soft focus-visible:outline-offset-0 aria-invalid:border-invalid-solid [&[readonly]]:bg-sunken [&[readonly]]:text-soft disabled:bg-sunken disabled:text-faint'

export function TextInput({ className, ...rest }: ComponentProps<'input'>) {
  return <input {...rest} className={clsx(BOX, 'h-9 pointer-coarse:h-11', className)} />
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea {...rest} className={clsx(BOX, 'min-h-24 py-2', className)} />
}

/** A native select: it works with every keyboard, screen reader and phone. */
export function SelectInput({ className, ...rest }: ComponentProps<'select'>) {
  return <select {...rest} className={clsx(BOX, 'h-9 pe-8 pointer-coarse:h-11', className)} />
}

type ChoiceProps = Omit<ComponentProps<'input'>, 'type'> & { label: ReactNode; hint?: ReactNode }

export function Checkbox(props: ChoiceProps) {
  return <Choice {...props} type="checkbox" />
}

export function Radio(props: ChoiceProps) {
  return <Choice {...props} type="radio" />
}

function Choice({ label, hint, className, ...rest }: ChoiceProps & { type: 'checkbox' | 'radio' }) {
  const id = useId()
  return (
    <div className={clsx('flex items-start gap-2.5', className)}>
      <input
        {...rest}
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className="mt-0.5 size-4.5 shrink-0 accent-accent"
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p id={`${id}-hint`} className="text-[0.8125rem] text-faint">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}

type DayProps = { label: string; value: string | undefined; onChange(day: string): void }

/** A start or end date. */
export function DayInput({ label, value = '', onChange }: DayProps) {
  const id = useId()
  const [text, setText] = useState(value)
  // The URL also changes by back, forward and links that clear the filter.
  useEffect(() => setText(value), [value])
  const type = (day: string) => {
    setText(day)
    if (day === '' || isDay(day)) onChange(day) // a partially typed year such as 0002 is ignored
  }
  return (
    <div className="flex items-center gap-2">
      <label htmlFor={id} className="w-10 shrink-0 text-[0.8125rem] text-soft">
        {label}
      </label>
      <TextInput id={id} type="date" value={text} onChange={({ target }) => type(target.value)} className="min-w-0" />
    </div>
  )
}

/** A password input that permits pasting, password managers and showing the text. */
export function PasswordInput({ className, ...rest }: InputHTMLAttributes<HTMLInputElement>) {
  const [shown, setShown] = useState(false)
  const Icon = shown ? EyeOff : Eye
  const label = shown ? 'Hide password' : 'Show password'
  return (
    <div className="relative">
      <TextInput
        {...rest}
        type={shown ? 'text' : 'password'}
        spellCheck={false}
        autoCapitalize="none"
        className={clsx('pe-11', className)}
      />
      <button
        type="button"
        aria-label={label}
        title={label}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 end-0 grid w-10 place-items-center rounded-md text-faint hover:text-ink"
      >
        <Icon className="size-4" aria-hidden="true" />
      </button>
    </div>
  )
}

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

const TYPING_MS = 300

type SearchFieldProps = { label: string; value: string; maxLength: number; onChange(text: string): void }

/** The text of an input, which is reported after a pause in typing. */
export function useTyping(value: string, onChange: (text: string) => void) {
  const [text, setText] = useState(value)
  const reported = useRef(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // The URL also changes by back, forward and links that clear the filter.
  useEffect(() => {
    if (value === reported.current.trim()) return
    reported.current = value
    clearTimeout(timer.current)
    setText(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      reported.current = next
      onChange(next)
    }, TYPING_MS)
  }
  return { text, type }
}

/** A search input that reports its text after a pause in typing. */
export function SearchField({ label, value, maxLength, onChange }: SearchFieldProps) {
  const { text, type } = useTyping(value, onChange)
  return (
    <div className="relative w-full sm:w-72">
      <Search className="absolute start-3 top-1/2 size-4 -translate-y-1/2 text-faint" aria-hidden="true" />
      <TextInput
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        maxLength={maxLength}
        onChange={({ target }) => type(target.value)}
        className="ps-9"
      />
    </div>
  )
}
