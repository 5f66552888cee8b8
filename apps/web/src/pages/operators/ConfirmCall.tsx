import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { asRequestFailed } from '../../session/probity.ts'
import { Callout } from '../../ui/Callout.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { useOperatorCall } from './use-operator-call.ts'

type ConfirmCallProps = {
  title: string
  confirm: string
  path: string
  body?: object
  done: string
  danger?: boolean
  onClose(): void
  children: ReactNode
}

/** Confirms an operator action, sends it, and shows the error if it fails. */
export function ConfirmCall({
  title,
  confirm,
  path,
  body = {},
  done,
  danger = false,
  onClose,
  children,
}: ConfirmCallProps) {
  const call = useOperatorCall()
  const { mutate, isPending, isError, error } = useMutation({
    mutationFn: () => call(path, body, done),
    onSuccess: onClose,
  })
  return (
    <ConfirmDialog
      open
      title={title}
      confirm={confirm}
      danger={danger}
      busy={isPending}
      onCancel={onClose}
      onConfirm={() => mutate()}
    >
      {children}
      {isError && (
        <Callout kind="error" live>
          {asRequestFailed(error).message}
        </Callout>
      )}
    </ConfirmDialog>
  )
}
