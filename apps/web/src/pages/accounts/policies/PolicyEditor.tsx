import type { NamedPolicy } from '@probity/contract/constants/policies'
import type { Policy, PolicySettings } from '@probity/sdk'
import { Link, useNavigate } from '@tanstack/react-router'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { Button, buttonClass } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Field, TextInput } from '../../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { UnsavedGuard } from '../../../ui/UnsavedGuard.tsx'
import { usePolicyBook, useRefreshPolicies } from './policies.ts'
import { freeName, type PolicyValues, readRules, valuesOf } from './policy-form.ts'
import { DecisionFields, RuleFields } from './RuleFields.tsx'
import { TryCard } from './TryCard.tsx'

type EditorProps = {
  from: Policy
  /** Existing policies, whose names are in use. */
  taken: Policy[]
  isNew: boolean
}

/** The editor of a policy: rules, default decision and a trial with an address. */
export function PolicyEditor({ from, taken, isNew }: EditorProps) {
  const form = useForm<PolicyValues>({
    defaultValues: valuesOf(from, isNew ? freeName(from.name, taken) : from.name),
    shouldFocusError: false,
  })
  const submit = useSubmit(form, useSave(form, isNew))
  const { isDirty, isSubmitting, isSubmitSuccessful } = form.formState
  return (
    <>
      <form noValidate onSubmit={submit} className="flex flex-col gap-6">
        <UnsavedGuard isDirty={isDirty && !isSubmitSuccessful} />
        <FormSummary form={form} />
        <Card title="Name">
          <NameFields form={form} isNew={isNew} taken={taken} />
        </Card>
        <Card title="Rules" about="Rules are evaluated in order. The first match decides.">
          <RuleFields form={form} />
        </Card>
        <Card title="Default decision" about="Used if no rule matches.">
          <DecisionFields form={form} at="default" what="Default decision" />
        </Card>
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" busy={isSubmitting}>
            {isNew ? 'Create policy' : 'Save changes'}
          </Button>
          <Link to="/policies/$name" params={{ name: from.name }} className={buttonClass()}>
            Cancel
          </Link>
        </div>
      </form>
      <Trial form={form} />
    </>
  )
}

/** Uses the unsaved form values, so that changes can be tried before saving. */
function Trial({ form }: { form: UseFormReturn<PolicyValues> }) {
  const { name, ...values } = form.watch()
  const policy: NamedPolicy = { name, ...readRules(values) }
  return <TryCard policy={policy} />
}

function useSave(form: UseFormReturn<PolicyValues>, isNew: boolean) {
  const book = usePolicyBook()
  const refresh = useRefreshPolicies()
  const navigate = useNavigate()
  const tell = useToasts()
  return async (values: PolicyValues) => {
    const name = values.name.trim()
    const settings = { description: values.description.trim(), ...readRules(values) } as unknown as PolicySettings
    await (isNew ? book.create({ name, ...settings }) : book.update(name, settings))
    form.reset(values)
    await refresh()
    tell.done(isNew ? `Policy ${name} created.` : `Policy ${name} updated.`)
    await navigate({ to: '/policies/$name', params: { name }, search: {}, ignoreBlocker: true })
  }
}

type NameProps = { form: UseFormReturn<PolicyValues>; isNew: boolean; taken: Policy[] }

function NameFields({ form, isNew, taken }: NameProps) {
  const { errors } = form.formState
  const isFree = (name: string) =>
    !isNew ||
    !taken.some((one) => one.name === name.trim() && !one.is_built_in) ||
    'A policy with this name already exists.'
  return (
    <div className="flex flex-col gap-4">
      <Field
        label="Name"
        hint="The name that requests use: lower-case letters, digits, - and _. The name of a built-in policy overrides that policy."
        error={errors.name?.message}
      >
        {(ids) => (
          <TextInput
            {...ids}
            {...form.register('name', { validate: { isName, isFree } })}
            readOnly={!isNew}
            autoComplete="off"
            spellCheck={false}
            maxLength={50}
            className="max-w-72 font-mono text-[0.8125rem]"
          />
        )}
      </Field>
      <Field label="Description" optional error={errors.description?.message}>
        {(ids) => <TextInput {...ids} {...form.register('description')} autoComplete="off" maxLength={200} />}
      </Field>
    </div>
  )
}

function isName(name: string): true | string {
  return (
    /^[a-z0-9][a-z0-9_-]{0,49}$/.test(name.trim()) ||
    'Start with a letter or digit, and use lower-case letters, digits, - and _.'
  )
}
