import { useMemo, useRef } from 'react'

/** Gives the focus back to what had it when a dialog opened: Radix itself knows only triggers that it has drawn. */
export function useOpener() {
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

/** A menu is gone when its dialog closes; the button that opened the menu is not. */
function lastingOf(active: Element | null): HTMLElement | null {
  const button = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby')
  if (button) return document.getElementById(button)
  return active instanceof HTMLElement ? active : null
}
