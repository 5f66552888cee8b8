import { useEffect } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { PRESETS, SCOPE_WORDS } from '../../../labels/scopes.ts'
import { useHeldScopes } from '../../../session/may.ts'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox, Field, Radio, TextInput } from '../../../ui/Field.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import {
  type KeyValues,
  type LimitValues,
  NO_LIMITS,
  pointingAtFields,
  readLimits,
  scopesOf,
  USUAL_CAPS,
} from './key-form.ts'
import type { NewKey } from './keys-query.ts'
import { LimitFields } from './LimitFields.tsx'

export const NAME_RULES = {
  validate: (name: string) => name.trim() !== '' || 'Enter a name for the key.',
  maxLength: { value: 100, message: 'The name can have at most 100 characters.' },
}

/** Type, mode, scopes and limits of a new key. */
export function KeyForm({ onMade, onCancel }: { onMade(made: NewKey): void; onCancel(): void }) {
  const { mode, probity } = useScene()
  const held = useHeldScopes()
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
  const held = useHeldScopes()
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
