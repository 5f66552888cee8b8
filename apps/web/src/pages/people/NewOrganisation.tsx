import { useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { ask } from '../../api/ask.ts'
import { keepLastOrganisation } from '../../session/last-organisation.ts'
import { type Membership, sessionQuery } from '../../session/session.ts'
import { Button } from '../../ui/Button.tsx'
import { FormSummary } from '../../ui/FormSummary.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { NameField, ORGANISATION_NAME_RULES } from './NameField.tsx'

/** Opens an organisation, with whoever asks as its owner. */
export function NewOrganisation(props: { isFirstChoice: boolean; onOpened?: (opened: Membership) => void }) {
  const queryClient = useQueryClient()
  const form = useForm({ defaultValues: { name: '' }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ name }) => {
    const opened = await ask<Membership>('/organisations', { method: 'POST', body: { name: name.trim() } })
    // Before the session is asked for anew: from then on the shell shows it, whichever comes first.
    keepLastOrganisation(opened.slug)
    await queryClient.invalidateQueries(sessionQuery)
    props.onOpened?.(opened)
  })
  const look = props.isFirstChoice ? 'primary' : 'secondary'
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <FormSummary form={form} />
      <NameField
        label="Name of the organisation"
        hint="Your company or team. It can be changed later."
        autoComplete="organization"
        input={form.register('name', ORGANISATION_NAME_RULES)}
        error={form.formState.errors.name?.message}
      />
      <Button type="submit" look={look} size="lg" busy={form.formState.isSubmitting}>
        Open the organisation
      </Button>
    </form>
  )
}
