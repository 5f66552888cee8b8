import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { asRequestFailed, callApi, RequestFailed } from '../../session/client.ts'
import { Callout } from '../../ui/Callout.tsx'
import { ConfirmDialog, Dialog } from '../../ui/Dialog.tsx'
import { useToasts } from '../../ui/Toasts.tsx'
import { TwoFactorForm } from '../users/sign-in/SignInPage.tsx'
import { OPERATOR_KEY } from './queries.ts'

type ConfirmCallProps = {
  title: string
  confirm: string
  /** The label of the button that closes the dialog. */
  cancel?: string
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
  cancel,
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
      {...(cancel && { cancel })}
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

/** Sends a change of an operator, requests a 2FA code if needed, reloads the data and shows a toast. */
export function useOperatorCall() {
  const queryClient = useQueryClient()
  const toasts = useToasts()
  const withRecentCode = useWithRecentCode()
  return async (path: string, body: object, done: string) => {
    await withRecentCode(() => callApi(`/operator${path}`, { method: 'POST', body }))
    await queryClient.invalidateQueries({ queryKey: OPERATOR_KEY })
    toasts.done(done)
  }
}

/** Resolves once the operator has entered a valid code; rejects if the dialog is closed. */
type RequestCode = () => Promise<void>

const CodeContext = createContext<RequestCode | undefined>(undefined)

type Pending = { resolve(): void; reject(error: unknown): void }

/** Asks for a 2FA code when the service requires a recent one. One dialog for all operator pages. */
export function RecentCode({ children }: { children: ReactNode }) {
  const [pending, setPending] = useState<Pending>()
  const request = useCallback<RequestCode>(() => new Promise((resolve, reject) => setPending({ resolve, reject })), [])
  function close() {
    pending?.reject(new RequestFailed({ status: 403, code: 'code_required', message: NOT_ENTERED }))
    setPending(undefined)
  }
  function enter() {
    pending?.resolve()
    setPending(undefined)
  }
  return (
    <CodeContext value={request}>
      {children}
      {pending && (
        <Dialog
          open
          onClose={close}
          title="Enter a 2FA code"
          about="Changes to accounts and probing need a code that is at most 15 minutes old."
        >
          <TwoFactorForm action="Continue" back="Cancel" onSignedIn={enter} onBack={close} />
        </Dialog>
      )}
    </CodeContext>
  )
}

const NOT_ENTERED = 'This action needs a recent 2FA code. Try again and enter one.'

/** Sends a request of an operator. If it needs a recent code, asks for one and sends it again. */
export function useWithRecentCode() {
  const request = useContext(CodeContext)
  return async <T,>(send: () => Promise<T>): Promise<T> => {
    try {
      return await send()
    } catch (error) {
      if (request === undefined || asRequestFailed(error).code !== 'code_required') throw error
      await request()
      return send()
    }
  }
}
