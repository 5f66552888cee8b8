import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const KEPT = 'probity.theme'
const CHANGED = 'probity-theme'

function readTheme(): Theme {
  const kept = localStorage.getItem(KEPT)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function keepTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEPT)
  else localStorage.setItem(KEPT, theme)
  applyTheme()
  window.dispatchEvent(new Event(CHANGED))
}

/** The chosen theme, also if it was changed in another component or tab. */
export function useTheme(): Theme {
  return useSyncExternalStore(watchTheme, readTheme)
}

function watchTheme(onChange: () => void): () => void {
  const events = [CHANGED, 'storage']
  for (const event of events) window.addEventListener(event, onChange)
  return () => {
    for (const event of events) window.removeEventListener(event, onChange)
  }
}

export function applyTheme(): void {
  const theme = readTheme()
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}
