import { useMutation, useQueryClient } from '@tanstack/react-query'
import { plainWords } from '../../../labels/error-messages.ts'
import { ask } from '../../../session/ask.ts'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { Callout } from '../../../ui/Callout.tsx'
import { ConfirmDialog } from '../../../ui/Dialog.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { type Member, membersKey } from './members-query.ts'

export function RemoveMember({ member, onClose }: { member: Member; onClose(): void }) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const toasts = useToasts()
  const { account_id: organizationId, name: organisation } = scene.membership
  const { name } = member.user
  const remove = useMutation({
    mutationFn: () => {
      const body = { organizationId, memberIdOrEmail: member.id }
      return ask('/auth/organization/remove-member', { method: 'POST', body })
    },
    onSuccess: async () => {
      toasts.done(`${name} removed.`)
      onClose()
      await queryClient.invalidateQueries({ queryKey: membersKey(scene) })
    },
  })
  return (
    <ConfirmDialog
      open
      onCancel={onClose}
      onConfirm={() => remove.mutate()}
      title={`Remove ${name}?`}
      confirm="Remove member"
      busy={remove.isPending}
      danger
    >
      <p>
        They lose access to {organisation}. Lists and API keys belong to the account and remain. Keys that this member
        knows keep working. Rotate those keys.
      </p>
      {remove.error && (
        <Callout kind="error" live>
          {plainWords(asRequestFailed(remove.error))}
        </Callout>
      )}
    </ConfirmDialog>
  )
}
