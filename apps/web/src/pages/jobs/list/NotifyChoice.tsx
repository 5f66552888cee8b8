import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { asRequestFailed } from '../../../session/client.ts'
import { useScene } from '../../../session/workspace.ts'
import { Checkbox } from '../../../ui/Field.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { notificationsQuery, saveNotifications } from '../../users/notifications/notifications-query.ts'

const KIND = 'job_done'

/** Turns the email about finished lists on or off. Not shown if the installation sends no email. */
export function NotifyChoice() {
  const { account_id: accountId } = useScene().membership
  const queryClient = useQueryClient()
  const toasts = useToasts()
  const { data } = useQuery(notificationsQuery(accountId))
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (wanted: string[]) => saveNotifications(accountId, wanted),
    onSuccess: (changed) => queryClient.setQueryData(notificationsQuery(accountId).queryKey, changed),
    onError: (error) => toasts.failed(`The notification could not be changed. ${asRequestFailed(error).message}`),
  })
  if (data === undefined || !data.mail) return null
  const stored = data.wanted ?? data.usual
  const wanted = isPending ? variables : stored
  const others = stored.filter((kind) => kind !== KIND)
  return (
    <Checkbox
      checked={wanted.includes(KIND)}
      onChange={({ target }) => mutate(target.checked ? [...others, KIND] : others)}
      label="Email me when a list of this account is finished"
    />
  )
}
