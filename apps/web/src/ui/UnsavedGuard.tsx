import { useBlocker } from '@tanstack/react-router'
import { ConfirmDialog } from './Dialog.tsx'

/** Asks before a page is left on which something was typed and not saved. */
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
      <p>What you changed on this page is lost.</p>
    </ConfirmDialog>
  )
}
