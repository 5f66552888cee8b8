import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { ask } from '../../../session/ask.ts'
import { useSession } from '../../../session/session.ts'
import { refreshSession } from '../../../session/sign-in.ts'
import { keepTheme, useTheme } from '../../../shell/theme.ts'
import { Card } from '../../../ui/Card.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { SaveLine } from '../../../ui/SaveLine.tsx'
import { Segments } from '../../../ui/Segments.tsx'
import { UnsavedGuard } from '../../../ui/UnsavedGuard.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { NameField, PERSON_NAME_RULES } from '../sign-in/NameField.tsx'
import { DeleteProfileCard } from './DeleteProfile.tsx'
import { EmailCard } from './EmailCard.tsx'

export function Profile() {
  return (
    <>
      <PersonCard />
      <EmailCard />
      <Appearance />
      <DeleteProfileCard />
    </>
  )
}

function PersonCard() {
  const { person } = useSession()
  const queryClient = useQueryClient()
  const [isSaved, setSaved] = useState(false)
  const form = useForm({ values: { name: person.name }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ name }) => {
    await ask('/auth/update-user', { method: 'POST', body: { name: name.trim() } })
    form.reset({ name: name.trim() })
    setSaved(true)
    await refreshSession(queryClient)
  })
  const { errors, isDirty, isSubmitting } = form.formState
  return (
    <Card title="Profile" about="Your name as other members see it.">
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <UnsavedGuard isDirty={isDirty} />
        <FormSummary form={form} />
        <div className="grid gap-4 sm:grid-cols-2">
          <NameField label="Name" input={form.register('name', PERSON_NAME_RULES)} error={errors.name?.message} />
        </div>
        <SaveLine isDirty={isDirty} isBusy={isSubmitting} isSaved={isSaved} />
      </form>
    </Card>
  )
}

const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

function Appearance() {
  const theme = useTheme()
  return (
    <Card title="Appearance" about="Applies to this browser. Takes effect immediately.">
      <Segments label="Appearance" value={theme} choices={THEMES} onChange={keepTheme} />
    </Card>
  )
}
