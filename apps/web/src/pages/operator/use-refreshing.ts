import { useState } from 'react'

const EVERY_MS = 10_000

export type Refreshing = { isPaused: boolean; turn(): void; everyMs: number | false }

/** Figures that are asked for again by themselves, until somebody wants to read in peace. */
export function useRefreshing(): Refreshing {
  const [isPaused, setPaused] = useState(false)
  return { isPaused, turn: () => setPaused((is) => !is), everyMs: isPaused ? false : EVERY_MS }
}
