import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { AlertDialog as Alert, Dialog as Radix } from 'radix-ui'
import { type KeyboardEvent, type ReactNode, useMemo, useRef } from 'react'
import { Button, IconButton } from './Button.tsx'

const VEIL = 'fixed inset-0 z-40 bg-veil appear'
const BOX =
  'fixed z-50 flex flex-col bg-raised text-ink shadow-raised appear focus:outline-none inset-x-0 bottom-0 max-h-[92dvh] rounded-t-lg sm:inset-auto sm:top-1/2 sm:left-1/2 sm:max-h-[86dvh] sm:-translate-x-1/2 sm:-translate-y-1/2 sm:rounded-lg'

type DialogProps = {
  open: boolean
  onClose(): void
  title: ReactNode
  about?: ReactNode
  /** Returns false if closing would lose input. */
  mayClose?(): boolean
  /** Opens at the side, for details of a row that stays visible. */
  drawer?: boolean
  wide?: boolean
  /** Buttons next to the close button. */
  tools?: ReactNode
  /** Keys pressed inside the dialog. */
  onKeyDown?(event: KeyboardEvent<HTMLElement>): void
  children: ReactNode
}

/** A dialog that traps the focus while it is open and returns it afterwards. */
export function Dialog(props: DialogProps) {
  const { open, onClose, title, about, mayClose, drawer = false, wide = false, tools, onKeyDown, children } = props
  const opener = useOpener()
  const close = () => {
    if (mayClose?.() ?? true) onClose()
  }
  const drawerBox =
    'fixed inset-y-0 end-0 z-50 flex w-full max-w-xl flex-col bg-raised text-ink shadow-raised slide-in focus:outline-none'
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && close()}>
      <Radix.Portal>
        <Radix.Overlay className={VEIL} />
        <Radix.Content
          {...opener}
          {...(onKeyDown && { onKeyDown })}
          className={
            drawer ? drawerBox : clsx(BOX, wide ? 'sm:w-[44rem]' : 'sm:w-[32rem]', 'sm:max-w-[calc(100vw-2rem)]')
          }
          {...(!about && { 'aria-describedby': undefined })}
        >
          <header className="flex items-start justify-between gap-4 border-b border-line px-5 py-4">
            <div className="min-w-0">
              <Radix.Title className="text-base font-semibold [overflow-wrap:anywhere]">{title}</Radix.Title>
              {about && <Radix.Description className="mt-1 text-soft">{about}</Radix.Description>}
            </div>
            <div className="-me-1.5 -mt-1 flex shrink-0 gap-1">
              {tools}
              <Radix.Close asChild>
                <IconButton label="Close" size="sm">
                  <X />
                </IconButton>
              </Radix.Close>
            </div>
          </header>
          <div className="overflow-y-auto px-5 py-4">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

type ConfirmProps = {
  open: boolean
  onCancel(): void
  onConfirm(): void
  title: string
  /** The effects: what is kept and what is lost. */
  children: ReactNode
  confirm: string
  danger?: boolean
  busy?: boolean
  disabled?: boolean
  cancel?: string
}

/** Confirms an action that cannot be undone. */
export function ConfirmDialog(props: ConfirmProps) {
  const opener = useOpener()
  const { open, onCancel, onConfirm, title, children, confirm, danger, busy, disabled, cancel = 'Cancel' } = props
  return (
    <Alert.Root open={open} onOpenChange={(next) => !next && onCancel()}>
      <Alert.Portal>
        <Alert.Overlay className={VEIL} />
        <Alert.Content {...opener} className={clsx(BOX, 'sm:w-[28rem] sm:max-w-[calc(100vw-2rem)]')}>
          <div className="overflow-y-auto px-5 pt-5">
            <Alert.Title className="text-base font-semibold break-words">{title}</Alert.Title>
            <Alert.Description asChild>
              <div className="mt-2 flex flex-col gap-2 text-soft">{children}</div>
            </Alert.Description>
          </div>
          <footer className="flex flex-wrap justify-end gap-2 px-5 py-4">
            <Alert.Cancel asChild>
              <Button>{cancel}</Button>
            </Alert.Cancel>
            <Button look={danger ? 'danger' : 'primary'} busy={busy ?? false} disabled={disabled} onClick={onConfirm}>
              {confirm}
            </Button>
          </footer>
        </Alert.Content>
      </Alert.Portal>
    </Alert.Root>
  )
}

/** Returns the focus to the element that had it when a dialog opened: Radix knows only its own triggers. */
function useOpener() {
  const opener = useRef<HTMLElement>(null)
  return useMemo(
    () => ({
      onOpenAutoFocus() {
        opener.current = lastingOf(document.activeElement)
      },
      onCloseAutoFocus(event: Event) {
        event.preventDefault()
        opener.current?.focus()
      },
    }),
    [],
  )
}

/** A menu is removed when its dialog closes, so the focus returns to the button that opened the menu. */
function lastingOf(active: Element | null): HTMLElement | null {
  const button = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby')
  if (button) return document.getElementById(button)
  return active instanceof HTMLElement ? active : null
}
