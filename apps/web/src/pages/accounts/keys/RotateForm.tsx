import { useEffect } from 'react'
import { useForm } from 'react-hook-form'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field, SelectInput } from '../../../ui/Field.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { formatRelative } from '../../../ui/format.ts'
import { useSubmit } from '../../../ui/use-submit.ts'
import type { Key, NewKey } from './keys-query.ts'

const OVERLAPS = [
  { seconds: 0, word: 'Immediately' },
  { seconds: 900, word: 'In 15 minutes' },
  { seconds: 3_600, word: 'In 1 hour' },
  { seconds: 21_600, word: 'In 6 hours' },
  { seconds: 86_400, word: 'In 24 hours' },
  { seconds: 604_800, word: 'In 7 days' },
]
const OVERLAP_DEFAULT_S = 86_400

type RotateFormProps = { of: Key; onMade(made: NewKey): void; onCancel(): void }

/** Creates a new secret with the same settings. The old key stays valid for a while, so that clients can switch. */
export function RotateForm({ of: key, onMade, onCancel }: RotateFormProps) {
  const { probity } = useScene()
  const form = useForm({ defaultValues: { overlap_s: String(OVERLAP_DEFAULT_S) }, shouldFocusError: false })
  useEffect(() => form.setFocus('overlap_s'), [form])
  const submit = useSubmit(form, async ({ overlap_s: seconds }) => {
    onMade(await probity.keys.rotate(key.id, { overlapSeconds: Number(seconds) }))
  })
  const { errors, isSubmitting } = form.formState
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <FormSummary form={form} />
      <Field label="Old key expires" hint={lastUse(key)} error={errors.overlap_s?.message} className="max-w-sm">
        {(ids) => (
          <SelectInput {...ids} {...form.register('overlap_s')}>
            {OVERLAPS.map(({ seconds, word }) => (
              <option key={seconds} value={seconds}>
                {word}
              </option>
            ))}
          </SelectInput>
        )}
      </Field>
      <div className="flex flex-wrap justify-end gap-2 border-t border-line pt-4">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" busy={isSubmitting}>
          Rotate key
        </Button>
      </div>
    </form>
  )
}

function lastUse({ last_used_at: at }: Key): string {
  return at === null ? 'The old key has never been used.' : `The old key was last used ${formatRelative(at)}.`
}
