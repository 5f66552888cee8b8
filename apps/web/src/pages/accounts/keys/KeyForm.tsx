import { isOrigin } from '@probity/contract/constants/keys'
import { useEffect } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { PRESETS, SCOPE_WORDS } from '../../../labels/scopes.ts'
import { useGrantableScopes, useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox, Field, Radio, SelectInput, TextArea, TextInput } from '../../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import {
  type KeyType,
  type KeyValues,
  type LimitValues,
  NO_LIMITS,
  pointingAtFields,
  readLimits,
  readLines,
  scopesOf,
  USUAL_CAPS,
} from './key-form.ts'
import type { NewKey } from './keys-query.ts'

export const NAME_RULES = {
  validate: (name: string) => name.trim() !== '' || 'Enter a name for the key.',
  maxLength: { value: 100, message: 'The name can have at most 100 characters.' },
}

/** Type, mode, scopes and limits of a new key. */
export function KeyForm({ onMade, onCancel }: { onMade(made: NewKey): void; onCancel(): void }) {
  const { mode, probity } = useScene()
  const held = useGrantableScopes()
  const form = useForm<KeyValues>({
    defaultValues: { name: '', type: 'secret', mode, preset: 'validate', scopes: ['validations:write'], ...NO_LIMITS },
    shouldFocusError: false,
  })
  useEffect(() => form.setFocus('name'), [form])
  // Bypasses the query cache, which would keep the secret.
  const submit = useSubmit(form, async (values) => {
    const options = {
      name: values.name.trim(),
      livemode: values.mode === 'live',
      type: values.type,
      ...(values.type === 'secret' && { scopes: scopesOf(values, held) }),
      ...readLimits(values, values.type),
    }
    onMade(await pointingAtFields(probity.keys.create(options)))
  })
  const { errors, isSubmitting, dirtyFields } = form.formState
  const type = form.watch('type')
  useEffect(() => {
    if (!dirtyFields.monthly_cap) form.setValue('monthly_cap', USUAL_CAPS[type])
  }, [form, type, dirtyFields.monthly_cap])
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <FormSummary form={form} />
      <Field label="Name" hint="For example “Production, sign-up form”." error={errors.name?.message}>
        {(ids) => <TextInput {...ids} {...form.register('name', NAME_RULES)} autoComplete="off" maxLength={100} />}
      </Field>
      <TypeFields form={form} />
      <ModeFields form={form} />
      {type === 'secret' && <ScopeFields form={form} />}
      <LimitFields form={form as unknown as UseFormReturn<LimitValues>} type={type} />
      <div className="flex flex-wrap justify-end gap-2 border-t border-line pt-4">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" busy={isSubmitting}>
          Create key
        </Button>
      </div>
    </form>
  )
}

function TypeFields({ form }: { form: UseFormReturn<KeyValues> }) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 font-medium">Key type</legend>
      <Radio {...form.register('type')} value="secret" label="Secret key" hint="For servers. Keep it confidential." />
      <Radio
        {...form.register('type')}
        value="publishable"
        label="Publishable key"
        hint="For web pages. Safe to expose: it validates one address at a time from your pages and returns only a decision."
      />
    </fieldset>
  )
}

function ModeFields({ form }: { form: UseFormReturn<KeyValues> }) {
  const { mode } = useScene()
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 font-medium">Mode (cannot be changed later)</legend>
      {mode === 'live' && (
        <Radio
          {...form.register('mode')}
          value="live"
          label="Live"
          hint="Contacts real mail servers and uses credits."
        />
      )}
      <Radio {...form.register('mode')} value="test" label="Test" hint="Results are simulated and use no credits." />
      {mode === 'test' && <p className="text-[0.8125rem] text-faint">To create a live key, switch to live mode.</p>}
    </fieldset>
  )
}

function ScopeFields({ form }: { form: UseFormReturn<KeyValues> }) {
  const held = useGrantableScopes()
  const preset = form.watch('preset')
  const fault = form.formState.errors.scopes?.message
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 font-medium">Scopes</legend>
      <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
        {Object.entries(PRESETS).map(([value, { title, about }]) => (
          <Radio key={value} {...form.register('preset')} value={value} label={title} hint={about} />
        ))}
        <Radio {...form.register('preset')} value="custom" label="Custom" hint="Choose individual scopes" />
      </div>
      {preset === 'custom' && (
        <div className="mt-1 grid gap-x-4 gap-y-2 rounded-md border border-line bg-sunken p-3 sm:grid-cols-2">
          {held.map((scope) => (
            <Checkbox
              key={scope}
              {...form.register('scopes', { validate: hasScope })}
              value={scope}
              label={SCOPE_WORDS[scope].title}
              hint={SCOPE_WORDS[scope].about}
            />
          ))}
          <p className="text-[0.8125rem] text-faint sm:col-span-2">
            A scope that changes data includes the scope that reads it.
          </p>
        </div>
      )}
      {fault && <p className="text-[0.8125rem] text-invalid">{fault}</p>}
    </fieldset>
  )
}

function hasScope(scopes: string[], { preset }: KeyValues): true | string {
  return preset !== 'custom' || scopes.length > 0 || 'Choose at least one scope.'
}

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
  return /^\s*(\d{1,9}\s*)?$/.test(text) || 'Enter a whole number of credits.'
}

function isDayToCome(day: string, { expiry }: LimitValues): true | string {
  if (expiry !== 'date') return true
  return Date.parse(`${day}T23:59:59`) > Date.now() || 'Choose a future date.'
}

const VISITS_MAX = 10_000

/** Origins, policies and the rate limit per visitor of a publishable key. */
function PageFields({ form }: { form: UseFormReturn<LimitValues> }) {
  const { errors } = form.formState
  return (
    <>
      <Field
        label="Allowed origins"
        hint="One per line: scheme, host and any non-default port, such as https://www.example.com. Pages on other origins cannot use the key."
        error={errors.allowed_origins?.message}
      >
        {(ids) => (
          <TextArea
            {...ids}
            {...form.register('allowed_origins', { validate: areOrigins })}
            spellCheck={false}
            autoComplete="off"
            className="font-mono text-[0.8125rem]"
          />
        )}
      </Field>
      <Field
        label="Allowed policies"
        hint="One name per line. The first policy applies if a page names none. Visitors can read the reasons of these policies."
        error={errors.allowed_policies?.message}
      >
        {(ids) => (
          <TextArea
            {...ids}
            {...form.register('allowed_policies', { validate: arePolicies })}
            spellCheck={false}
            autoComplete="off"
            className="font-mono text-[0.8125rem]"
          />
        )}
      </Field>
      <Field
        label="Requests per visitor per hour"
        hint="Visitors are counted by IP address. One form needs a few requests; an office behind one IP address needs more."
        error={errors.visitor_cap?.message}
      >
        {(ids) => (
          <TextInput
            {...ids}
            {...form.register('visitor_cap', { validate: isVisitorCap })}
            inputMode="numeric"
            autoComplete="off"
            className="max-w-48 tabular-nums"
          />
        )}
      </Field>
    </>
  )
}

function areOrigins(text: string): true | string {
  const origins = readLines(text)
  if (origins.length === 0) return 'Enter at least one origin.'
  const wrong = origins.find((origin) => !isOrigin(origin))
  return wrong === undefined || `${wrong} is not an origin. Use scheme and host in lower case, without a path.`
}

function arePolicies(text: string): true | string {
  const names = readLines(text)
  if (names.length === 0) return 'Enter at least one policy.'
  const wrong = names.find((name) => !/^[a-z0-9][a-z0-9_-]{0,49}$/.test(name))
  return wrong === undefined || `${wrong} is not a policy name. Use lower-case letters, digits, - and _.`
}

function isVisitorCap(text: string): true | string {
  const isRight = /^\s*\d{1,5}\s*$/.test(text) && Number(text) >= 1 && Number(text) <= VISITS_MAX
  return isRight || 'Enter a whole number from 1 to 10,000.'
}
