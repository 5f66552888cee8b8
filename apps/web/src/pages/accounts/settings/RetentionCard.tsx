import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Card } from '../../../ui/Card.tsx'
import { Field, TextInput } from '../../../ui/Field.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { formatCount, formatDate } from '../../../ui/format.ts'
import { SaveLine } from '../../../ui/SaveLine.tsx'
import { UnsavedGuard } from '../../../ui/UnsavedGuard.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { useChangeAccount } from './change-account.ts'

const DAY_MS = 86_400_000

type RetentionCardProps = { days: number; daysMax: number; mayChange: boolean }

export function RetentionCard({ days, daysMax, mayChange }: RetentionCardProps) {
  const change = useChangeAccount()
  const [isSaved, setSaved] = useState(false)
  const form = useForm({ values: { retention_days: String(days) }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ retention_days: typed }) => {
    await change({ retentionDays: Number(typed) })
    form.reset({ retention_days: typed })
    setSaved(true)
  })
  const { errors, isDirty, isSubmitting } = form.formState
  return (
    <Card
      title="Retention"
      about="How long results are stored. Expired addresses and results are deleted. Counts and credit transactions are kept."
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <UnsavedGuard isDirty={isDirty} />
        <FormSummary form={form} />
        <Field
          label="Days"
          hint={<Meaning typed={form.watch('retention_days')} daysMax={daysMax} />}
          error={errors.retention_days?.message}
        >
          {(ids) => (
            <TextInput
              {...ids}
              {...form.register('retention_days', { validate: (typed: string) => isDays(typed, daysMax) })}
              inputMode="numeric"
              readOnly={!mayChange}
              className="max-w-28"
            />
          )}
        </Field>
        {mayChange && <SaveLine isDirty={isDirty} isBusy={isSubmitting} isSaved={isSaved} />}
      </form>
    </Card>
  )
}

function isDays(typed: string, daysMax: number): true | string {
  const isRight = /^\d{1,3}$/.test(typed.trim()) && Number(typed) <= daysMax
  return isRight || `Enter a whole number from 0 to ${daysMax}.`
}

/** The effect of the number. */
function Meaning({ typed, daysMax }: { typed: string; daysMax: number }) {
  if (isDays(typed, daysMax) !== true) return `From 0 to ${daysMax}. Applies to new lists and validations.`
  const days = Number(typed)
  if (days === 0)
    return 'Results are deleted within two days after validation completes. Applies to new lists and validations.'
  const until = formatDate(Date.now() + days * DAY_MS)
  return `Results created today expire after ${formatCount(days, 'day')}, on ${until}. Applies to new lists and validations.`
}
