import { useMutation } from '@tanstack/react-query'
import { describeError } from '../../../labels/error-messages.ts'
import { asRequestFailed, callApi } from '../../../session/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'

/** The contents of an invitation link. Without the token, the address must be verified by email. */
export type InvitationSecret = { id: string; token: string | undefined }

type AnswerProps = { link: InvitationSecret; onAccepted(): unknown; onDeclined?(): unknown }

/** Accepts or declines an invitation. */
export function InvitationChoice({ link: { id, token }, onAccepted, onDeclined }: AnswerProps) {
  const say = (verb: 'accept' | 'reject') =>
    callApi(`/auth/organization/${verb}-invitation`, { method: 'POST', body: { invitationId: id, token } })
  const accept = useMutation({ mutationFn: () => say('accept'), onSuccess: onAccepted })
  const decline = useMutation({ mutationFn: () => say('reject'), onSuccess: () => onDeclined?.() })
  const error = accept.error ?? decline.error
  if (decline.isSuccess) return <p role="status">Invitation declined. You can close this page.</p>
  return (
    <div className="flex flex-col gap-3">
      {error && (
        <Callout kind="error" live>
          {describeError(asRequestFailed(error))}
        </Callout>
      )}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" busy={accept.isPending} disabled={decline.isPending} onClick={() => accept.mutate()}>
          Accept invitation
        </Button>
        <Button look="quiet" busy={decline.isPending} disabled={accept.isPending} onClick={() => decline.mutate()}>
          Decline invitation
        </Button>
      </div>
    </div>
  )
}
