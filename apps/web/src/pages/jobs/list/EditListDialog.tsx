import { JOB_NAME_LENGTH_MAX, TAG_LENGTH_MAX, TAGS_MAX } from '@probity/contract/constants/limits'
import type { BulkJob } from '@probity/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useForm } from 'react-hook-form'
import { useScene } from '../../../session/workspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, TextInput } from '../../../ui/Field.tsx'
import { FormSummary, useSubmit } from '../../../ui/Form.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { jobQuery } from './queries.ts'

/** Renames a list and changes its tags. */
export function EditListDialog({ job, onClose }: { job: BulkJob; onClose(): void }) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const toasts = useToasts()
  const form = useForm({ defaultValues: { name: job.name, tags: job.tags.join(', ') }, shouldFocusError: false })
  useEffect(() => form.setFocus('name', { shouldSelect: true }), [form])
  const submit = useSubmit(form, async ({ name, tags }) => {
    const changed = await scene.probity.jobs.update(job.id, { name: name.trim(), tags: readTags(tags) })
    queryClient.setQueryData(jobQuery(scene, job.id).queryKey, changed)
    void queryClient.invalidateQueries({ queryKey: [...scene.key, 'lists'] })
    toasts.done('List changed.')
    onClose()
  })
  const { errors, isSubmitting } = form.formState
  return (
    <Dialog open onClose={onClose} title="Rename and tag" about={`File: ${job.filename}`}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-5">
        <FormSummary form={form} />
        <Field label="Name" error={errors.name?.message}>
          {(ids) => (
            <TextInput
              {...ids}
              {...form.register('name', { validate: (name) => name.trim() !== '' || 'Enter a name.' })}
              autoComplete="off"
              maxLength={JOB_NAME_LENGTH_MAX}
            />
          )}
        </Field>
        <Field label="Tags" optional hint={`Up to ${TAGS_MAX}, separated by commas.`} error={errors.tags?.message}>
          {(ids) => <TextInput {...ids} {...form.register('tags', { validate: findTagFault })} autoComplete="off" />}
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={isSubmitting}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function readTags(text: string): string[] {
  const tags = text.split(',').map((tag) => tag.trim())
  return [...new Set(tags.filter((tag) => tag !== ''))]
}

/** Undefined if the tags can be saved. */
function findTagFault(text: string): string | undefined {
  const tags = readTags(text)
  if (tags.length > TAGS_MAX) return `Enter at most ${TAGS_MAX} tags.`
  const isTooLong = tags.some((tag) => [...tag].length > TAG_LENGTH_MAX)
  return isTooLong ? `A tag has at most ${TAG_LENGTH_MAX} characters.` : undefined
}
