import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { plainWords } from '../../../labels/error-messages.ts'
import { ask } from '../../../session/ask.ts'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { refreshSession } from '../../../session/sign-in.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { ConfirmDialog } from '../../../ui/Dialog.tsx'

export function LeaveCard() {
  const { name } = useScene().membership
  const [isOpen, setOpen] = useState(false)
  const leave = useLeave()
  const cancel = () => {
    setOpen(false)
    leave.reset()
  }
  return (
    <Card
      title="Leave account"
      about="Lists, keys and credits remain in the account. To rejoin, you need an invitation."
    >
      <Button onClick={() => setOpen(true)}>Leave {name}</Button>
      <ConfirmDialog
        open={isOpen}
        onCancel={cancel}
        onConfirm={() => leave.mutate()}
        title={`Leave ${name}?`}
        confirm="Leave account"
        busy={leave.isPending}
        danger
      >
        <p>You lose access to its lists and keys. No data is deleted.</p>
        {leave.error && (
          <Callout kind="error" live>
            {plainWords(asRequestFailed(leave.error))}
          </Callout>
        )}
      </ConfirmDialog>
    </Card>
  )
}

function useLeave() {
  const { membership } = useScene()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => {
      const body = { organizationId: membership.account_id }
      return ask('/auth/organization/leave', { method: 'POST', body })
    },
    onSuccess: async () => {
      await navigate({ to: '/quick-start', search: { org: undefined, mode: undefined } })
      await refreshSession(queryClient)
    },
  })
}
