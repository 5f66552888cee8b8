import type { UseFormReturn } from 'react-hook-form'
import { Field, SelectInput, TextInput } from '../../../ui/Field.tsx'
import type { PolicyValues } from './policy-form.ts'

type DecisionFieldsProps = {
  form: UseFormReturn<PolicyValues>
  at: 'default' | `rules.${number}`
  /** The name of the rule, used in error messages. */
  what: string
}

/** The decision and the reason in the response. */
export function DecisionFields({ form, at, what }: DecisionFieldsProps) {
  const error = form.getFieldState(`${at}.reason`, form.formState).error?.message
  return (
    <div className="flex flex-wrap gap-4">
      <Field label="Decision" className="basis-36">
        {(ids) => (
          <SelectInput {...ids} {...form.register(`${at}.decision`)}>
            <option value="allow">Allow</option>
            <option value="review">Review</option>
            <option value="block">Block</option>
          </SelectInput>
        )}
      </Field>
      <Field label="Reason in the response" className="min-w-0 flex-1 basis-64" error={error}>
        {(ids) => (
          <TextInput
            {...ids}
            {...form.register(`${at}.reason`, {
              validate: (reason) => reason.trim() !== '' || `${what}: enter a reason.`,
            })}
            autoComplete="off"
            maxLength={200}
          />
        )}
      </Field>
    </div>
  )
}
