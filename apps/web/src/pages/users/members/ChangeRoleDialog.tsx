import { useQueryClient } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { ask } from '../../../session/ask.ts'
import { useScene } from '../../../session/scene.ts'
import { refreshSession } from '../../../session/sign-in.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormSummary } from '../../../ui/FormSummary.tsx'
import { useToasts } from '../../../ui/Toasts.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { type Member, membersKey } from './members-query.ts'
import { RoleChoice } from './RoleChoice.tsx'

export function ChangeRoleDialog({ member, onClose }: { member: Member; onClose(): void }) {
  const scene = useScene()
  const queryClient = useQueryClient()
  const toasts = useToasts()
  const form = useForm({ defaultValues: { role: member.role }, shouldFocusError: false })
  const submit = useSubmit(form, async ({ role }) => {
    const body = { organizationId: scene.membership.account_id, memberId: member.id, role }
    await ask('/auth/organization/update-member-role', { method: 'POST', body })
    toasts.done(`Role of ${member.user.name} changed to ${role}.`)
    onClose()
    // The user may have changed their own role.
    await Promise.all([queryClient.invalidateQueries({ queryKey: membersKey(scene) }), refreshSession(queryClient)])
  })
  const { isDirty, isSubmitting } = form.formState
  return (
    <Dialog open onClose={onClose} title={`Change role of ${member.user.name}`}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <FormSummary form={form} />
        <RoleChoice input={form.register('role')} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={isSubmitting} disabled={!isDirty}>
            Change role
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
