import { useSyncExternalStore } from 'react'

/** Narrower than Tailwind's `sm`. */
const NARROW = '(width < 40rem)'

/** Whether the screen is too narrow for tables; only the table or the cards are rendered. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches)
}

function subscribe(onChange: () => void) {
  const query = window.matchMedia(NARROW)
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}
