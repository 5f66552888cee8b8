import { isOrigin } from '@probity/contract/constants/keys'
import type { UseFormReturn } from 'react-hook-form'
import { Field, TextArea, TextInput } from '../../../ui/Field.tsx'
import { type LimitValues, readLines } from './key-form.ts'

const VISITS_MAX = 10_000

/** Origins, policies and the rate limit per visitor of a publishable key. */
export function PageFields({ form }: { form: UseFormReturn<LimitValues> }) {
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
