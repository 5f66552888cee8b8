import { useBlocker } from '@tanstack/react-router'
import { ConfirmDialog } from './Dialog.tsx'

/** Confirms leaving a page with unsaved changes. */
export function UnsavedGuard({ isDirty }: { isDirty: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  })
  return (
    <ConfirmDialog
      open={status === 'blocked'}
      onCancel={() => reset?.()}
      onConfirm={() => proceed?.()}
      title="Leave without saving?"
      confirm="Leave"
      cancel="Stay"
      danger
    >
      <p>Your changes on this page will be lost.</p>
    </ConfirmDialog>
  )
}
