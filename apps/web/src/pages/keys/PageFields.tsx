import { isOrigin } from '@probity/contract/publishable'
import type { UseFormReturn } from 'react-hook-form'
import { Field, TextArea, TextInput } from '../../ui/Field.tsx'
import { type LimitValues, readLines } from './key-form.ts'

const VISITS_MAX = 10_000

/** The pages that a publishable key is for, the policies that they may name, and the rate of one visitor. */
export function PageFields({ form }: { form: UseFormReturn<LimitValues> }) {
  const { errors } = form.formState
  return (
    <>
      <Field
        label="Origins of your pages"
        hint="One per line: scheme, host, and the port where it is not the usual one, such as https://www.example.com. Pages elsewhere cannot use the key."
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
        label="Policies that pages may name"
        hint="One name per line. The first one applies if a page names none. Visitors can read the reasons of these policies."
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
        label="Requests of one visitor in an hour"
        hint="A visitor is a network address. A person who fills in a form needs a few, an office behind one address some more."
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
  if (origins.length === 0) return 'Name at least one origin.'
  const wrong = origins.find((origin) => !isOrigin(origin))
  return wrong === undefined || `${wrong} is not an origin: scheme and host in lower case, and nothing behind them.`
}

function arePolicies(text: string): true | string {
  const names = readLines(text)
  if (names.length === 0) return 'Name at least one policy.'
  const wrong = names.find((name) => !/^[a-z0-9][a-z0-9_-]{0,49}$/.test(name))
  return wrong === undefined || `${wrong} is not a policy name: lower-case letters, digits, - and _.`
}

function isVisitorCap(text: string): true | string {
  const isRight = /^\s*\d{1,5}\s*$/.test(text) && Number(text) >= 1 && Number(text) <= VISITS_MAX
  return isRight || 'Enter a whole number from 1 to 10,000.'
}
