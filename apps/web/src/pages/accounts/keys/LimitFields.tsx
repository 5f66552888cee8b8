import type { UseFormReturn } from 'react-hook-form'
import { Field, SelectInput, TextArea, TextInput } from '../../../ui/Field.tsx'
import type { KeyType, LimitValues } from './key-form.ts'
import { PageFields } from './PageFields.tsx'

type LimitFieldsProps = {
  form: UseFormReturn<LimitValues>
  type: KeyType
  /** The current expiry of an existing key. */
  now?: string
}

/** Expiry, IP allowlist or origins, and monthly cap of a key. */
export function LimitFields({ form, type, now }: LimitFieldsProps) {
  const { errors } = form.formState
  return (
    <>
      {type === 'publishable' && <PageFields form={form} />}
      <ExpiryFields form={form} {...(now !== undefined && { now })} />
      {type === 'secret' && (
        <Field
          label="Allowed IP addresses"
          optional
          hint="One IP address or CIDR range per line, such as 192.0.2.0/24. Empty allows all IP addresses."
          error={errors.ip_allowlist?.message}
        >
          {(ids) => (
            <TextArea
              {...ids}
              {...form.register('ip_allowlist')}
              spellCheck={false}
              autoComplete="off"
              className="font-mono text-[0.8125rem]"
            />
          )}
        </Field>
      )}
      <Field
        label="Monthly cap"
        optional
        hint={
          type === 'publishable'
            ? 'Credits that the key can use in a calendar month (UTC). It limits what visitors can spend. Empty for no cap.'
            : 'Credits that the key and the keys that it creates can use in a calendar month (UTC). Empty for no cap.'
        }
        error={errors.monthly_cap?.message}
      >
        {(ids) => (
          <TextInput
            {...ids}
            {...form.register('monthly_cap', { validate: isCap })}
            inputMode="numeric"
            autoComplete="off"
            className="max-w-48 tabular-nums"
          />
        )}
      </Field>
    </>
  )
}

function ExpiryFields({ form, now }: Omit<LimitFieldsProps, 'type'>) {
  const expiry = form.watch('expiry')
  return (
    <div className="flex flex-wrap gap-4">
      <Field label="Expires" className="basis-60">
        {(ids) => (
          <SelectInput {...ids} {...form.register('expiry')}>
            {now !== undefined && <option value="keep">Keep current: {now}</option>}
            <option value="none">Never</option>
            <option value="30">In 30 days</option>
            <option value="90">In 90 days</option>
            <option value="365">In a year</option>
            <option value="date">On a date</option>
          </SelectInput>
        )}
      </Field>
      {expiry === 'date' && (
        <Field label="Last day" error={form.formState.errors.expires_at?.message}>
          {(ids) => <TextInput {...ids} {...form.register('expires_at', { validate: isDayToCome })} type="date" />}
        </Field>
      )}
    </div>
  )
}

function isCap(text: string): true | string {
  return /^\s*\d{0,9}\s*$/.test(text) || 'Enter a whole number of credits.'
}

function isDayToCome(day: string, { expiry }: LimitValues): true | string {
  if (expiry !== 'date') return true
  return Date.parse(`${day}T23:59:59`) > Date.now() || 'Choose a future date.'
}
