import { NOTIFICATION_KINDS, NOTIFICATIONS } from '@probity/contract/constants/users'
import type { NotificationSettings } from '@probity/contract/schemas/users'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useSession } from '../../../session/session.ts'
import { useScene } from '../../../session/workspace.ts'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Checkbox } from '../../../ui/Field.tsx'
import { FormSummary, SaveLine, useSubmit } from '../../../ui/Form.tsx'
import { PageFrame } from '../../../ui/States.tsx'
import { UnsavedGuard } from '../../../ui/UnsavedGuard.tsx'
import { notificationsQuery, saveNotifications } from './notifications-query.ts'

/** The email notifications of the user, chosen per account. */
export function Notifications() {
  const { membership } = useScene()
  const { person } = useSession()
  const choices = useQuery(notificationsQuery(membership.account_id))
  return (
    <Card title="Email notifications" about={`Sent to ${person.email} about ${membership.name}.`}>
      <PageFrame query={choices} failed="The notification settings could not be loaded" lines={5}>
        {(data) => <NotificationsForm choices={data} />}
      </PageFrame>
    </Card>
  )
}

function NotificationsForm({ choices }: { choices: NotificationSettings }) {
  const { account_id: accountId } = useScene().membership
  const queryClient = useQueryClient()
  const [isSaved, setSaved] = useState(false)
  const form = useForm({ values: { wanted: inOrder(choices.wanted ?? choices.usual) }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ wanted }) => {
    queryClient.setQueryData(notificationsQuery(accountId).queryKey, await saveNotifications(accountId, wanted))
    setSaved(true)
  })
  const { isDirty, isSubmitting } = form.formState
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <UnsavedGuard isDirty={isDirty} />
      <FormSummary form={form} />
      {!choices.mail && <Callout>Email is not configured. No notifications are sent.</Callout>}
      <fieldset className="flex flex-col gap-2.5">
        <legend className="mb-2 font-medium">Email me when</legend>
        {NOTIFICATION_KINDS.map((kind) => (
          <Checkbox key={kind} {...form.register('wanted')} value={kind} label={NOTIFICATIONS[kind].meaning} />
        ))}
      </fieldset>
      <SaveLine isDirty={isDirty} isBusy={isSubmitting} isSaved={isSaved} />
    </form>
  )
}

/** In the order of the checkboxes: otherwise checking a box again would count as a change. */
function inOrder(kinds: readonly string[]): string[] {
  return NOTIFICATION_KINDS.filter((kind) => kinds.includes(kind))
}
