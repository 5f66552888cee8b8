import { useState } from 'react'

const EVERY_MS = 10_000

export type Refreshing = { isPaused: boolean; turn(): void; everyMs: number | false }

/** Refreshes the figures automatically until the user pauses it. */
export function useRefreshing(): Refreshing {
  const [isPaused, setPaused] = useState(false)
  return { isPaused, turn: () => setPaused((is) => !is), everyMs: isPaused ? false : EVERY_MS }
}
