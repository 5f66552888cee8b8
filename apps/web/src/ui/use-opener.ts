import { useMemo, useRef } from 'react'

/** Returns the focus to the element that had it when a dialog opened: Radix knows only its own triggers. */
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

/** A menu is removed when its dialog closes, so the focus returns to the button that opened the menu. */
function lastingOf(active: Element | null): HTMLElement | null {
  const button = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby')
  if (button) return document.getElementById(button)
  return active instanceof HTMLElement ? active : null
}
