import { useSyncExternalStore } from 'react'

/** Narrower than Tailwind's `sm`. */
const NARROW = '(width < 40rem)'

/** Whether there is room for a table; only one of table and cards is made. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches)
}

function subscribe(onChange: () => void) {
  const query = window.matchMedia(NARROW)
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}
