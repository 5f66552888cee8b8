import type { NamedPolicy } from '@probity/contract/decide-by-policy'
import type { Policy, PolicySettings } from '@probity/sdk'
import { Link, useNavigate } from '@tanstack/react-router'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { FormSummary } from '../../ui/FormSummary.tsx'
import { useToasts } from '../../ui/Toasts.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { DecisionFields } from './DecisionFields.tsx'
import { usePolicyBook, useRefreshPolicies } from './policies-query.ts'
import { freeName, type PolicyValues, readRules, valuesOf } from './policy-form.ts'
import { RuleFields } from './RuleFields.tsx'
import { TryCard } from './TryCard.tsx'

type EditorProps = {
  from: Policy
  /** Those whose names are in use. */
  taken: Policy[]
  isNew: boolean
}

/** A policy being written: its rules in order, what is decided otherwise, and what it would make of an address. */
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
        <Card title="Rules" about="They are gone through in order, and the first that applies decides.">
          <RuleFields form={form} />
        </Card>
        <Card title="Otherwise" about="What is decided where no rule applies.">
          <DecisionFields form={form} at="default" what="Otherwise" />
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

/** Follows what is typed, so that a change is seen before it is saved. */
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
    tell.done(isNew ? `The policy ${name} is there.` : `The policy ${name} is changed.`)
    await navigate({ to: '/policies/$name', params: { name }, search: {}, ignoreBlocker: true })
  }
}

type NameProps = { form: UseFormReturn<PolicyValues>; isNew: boolean; taken: Policy[] }

function NameFields({ form, isNew, taken }: NameProps) {
  const { errors } = form.formState
  const isFree = (name: string) =>
    !isNew || !taken.some((one) => one.name === name.trim() && !one.is_built_in) || 'There is a policy of this name.'
  return (
    <div className="flex flex-col gap-4">
      <Field
        label="Name"
        hint="What requests call it: lower-case letters, digits, - and _. With the name of a built-in one it takes its place."
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
      <Field label="What it is for" optional error={errors.description?.message}>
        {(ids) => <TextInput {...ids} {...form.register('description')} autoComplete="off" maxLength={200} />}
      </Field>
    </div>
  )
}

function isName(name: string): true | string {
  return (
    /^[a-z0-9][a-z0-9_-]{0,49}$/.test(name.trim()) ||
    'A name begins with a letter or digit, and has lower-case letters, digits, - and _.'
  )
}
