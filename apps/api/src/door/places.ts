/** How many requests of the kind that makes work a process takes on at once. */
export type Places = {
  /** How many there are now. */
  count(): number
  /**
   * Takes note of how long a task without work took from here to a worker and back, while so many requests were under way. `turnedAway` is how many
   * found no place since the last one.
   */
  note(echoMs: number, underWay: number, turnedAway?: number): void
}

/** An echo that takes this long waited for work that we had no business taking on. Without a crowd it takes a few milliseconds. */
export const LATE_MS = 250
/** What is left however late echoes are, or nothing would be tried any more. */
const PLACES_MIN = 32
/** One late echo takes away so much at least, and so much at most: the crowd that made it late may have gone. */
const [CUT_MIN, CUT_MAX] = [0.9, 0.5]
const GROWTH = 1.1
/**
 * How many there are before it is known whether more can be borne, of the most that there may be: a crowd that comes all at once must not find more
 * than that. What is not wanted any more goes back to it, slowly.
 */
const UNPROVEN_SHARE = 0.5
const SHRINKAGE = 0.98
/** Not wanted any more are places of which so few are taken that nobody, not even a list, would miss the rest. */
const UNWANTED_SHARE = 0.2
/** There are more places only where those that there are were wanted: nearly all were taken, or somebody was turned away, as lists are long before. */
const WANTED_SHARE = 0.7

/**
 * Finds by trying how much can be taken on such that whoever is let in is served soon. It goes by our own delay and not by how long
 * verdicts take: slow mail servers keep many callers waiting and us idle.
 */
export function openPlaces(max: number): Places {
  const unproven = Math.max(Math.min(PLACES_MIN, max), Math.ceil(max * UNPROVEN_SHARE))
  let places = unproven
  return {
    count: () => places,
    note(echoMs, underWay, turnedAway = 0) {
      if (echoMs > LATE_MS) {
        const share = Math.min(CUT_MIN, Math.max(CUT_MAX, LATE_MS / echoMs))
        places = Math.max(Math.min(PLACES_MIN, max), Math.floor(Math.min(places, underWay) * share))
      } else if (turnedAway > 0 || underWay >= places * WANTED_SHARE) {
        places = Math.min(max, Math.ceil(places * GROWTH))
      } else if (places > unproven && underWay < places * UNWANTED_SHARE) {
        places = Math.max(unproven, Math.floor(places * SHRINKAGE))
      }
    },
  }
}
