/** Lets so many through at a time; the others wait in line. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>

export function openGate(insideMax: number): Gate {
  let inside = 0
  const line: (() => void)[] = []
  return async (work) => {
    if (inside < insideMax) inside += 1
    else await new Promise<void>((enter) => line.push(enter))
    try {
      return await work()
    } finally {
      // Whoever is next takes the place of the one who leaves.
      const next = line.shift()
      if (next) next()
      else inside -= 1
    }
  }
}
