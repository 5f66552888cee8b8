/** The concurrency limit of a process for requests that cause work. */
export type Slots = {
  /** The current limit. */
  count(): number
  /**
   * Records the round trip of an empty task to a worker, with the number of requests in progress and the number of requests that were shed
   * since the last call.
   */
  note(echoMs: number, underWay: number, rejected?: number): void
}

/** An echo that takes this long shows overload. Without load it takes a few milliseconds. */
export const LATE_MS = 250
/** The minimum, so that the process keeps probing its capacity however late echoes are. */
const PLACES_MIN = 32
/** A late echo multiplies the limit by a factor in this range: the load that delayed it may have ended. */
const [CUT_MIN, CUT_MAX] = [0.9, 0.5]
const GROWTH = 1.1
/**
 * Initial share of the maximum: a sudden peak must not fill more slots before the first late echo. A limit that is no longer in demand
 * returns to it slowly.
 */
const UNPROVEN_SHARE = 0.5
const SHRINKAGE = 0.98
/** The limit shrinks only below this utilization, so that shrinking never causes rejections, not even of lists. */
const UNWANTED_SHARE = 0.2
/** The limit grows only if it was in demand: at this utilization or more, or after requests were shed. */
const WANTED_SHARE = 0.7

/**
 * Adaptive concurrency limit: the number of requests that can be accepted with a low latency. The signal is our own delay and not the
 * duration of validations: slow mail servers keep requests waiting while the process is idle.
 */
export function openSlots(max: number): Slots {
  const unproven = Math.max(Math.min(PLACES_MIN, max), Math.ceil(max * UNPROVEN_SHARE))
  let places = unproven
  return {
    count: () => places,
    note(echoMs, underWay, rejected = 0) {
      if (echoMs > LATE_MS) {
        const share = Math.min(CUT_MIN, Math.max(CUT_MAX, LATE_MS / echoMs))
        places = Math.max(Math.min(PLACES_MIN, max), Math.floor(Math.min(places, underWay) * share))
      } else if (rejected > 0 || underWay >= places * WANTED_SHARE) {
        places = Math.min(max, Math.ceil(places * GROWTH))
      } else if (places > unproven && underWay < places * UNWANTED_SHARE) {
        places = Math.max(unproven, Math.floor(places * SHRINKAGE))
      }
    },
  }
}

/** Counts the requests that a process is answering, and limits them. */
export type InFlightTracker = {
  /** Concurrency limit for requests of all classes. */
  max: number
  all: number
  /** Requests that cause work for other components. */
  working: number
  /** Such requests in test mode, which cause no work. */
  sandbox: number
  /** Such requests that were rejected since the last echo. */
  rejected: number
  /** Concurrency limit for such requests. */
  places(): number
  /** Average utilization of the limit over the last second or two. */
  busy: number
  stop(): void
}

const LISTEN_EVERY_MS = 200
/** Weight of the latest sample in `busy`. */
const LAST_LOOK_SHARE = 0.2
/** The other slots are for requests that only read: they are fast, and validations must not cause their rejection. */
const WORK_SHARE = 0.75

/**
 * Sends an empty task to the workers at intervals while requests are in progress, and adapts the limit to its round trip. A lost echo
 * changes nothing: workers that are being replaced lose them too, and requests that wait for those are still answered.
 */
export function trackInFlight(inFlightMax: number, echo: () => Promise<number | undefined>): InFlightTracker {
  const places = openSlots(Math.ceil(inFlightMax * WORK_SHARE))
  let isListening = false

  async function listen(): Promise<void> {
    isListening = true
    const ms = await echo()
    if (ms !== undefined) places.note(ms, inFlight.working, inFlight.rejected)
    inFlight.rejected = 0
    isListening = false
  }

  const timer = setInterval(() => {
    inFlight.busy += LAST_LOOK_SHARE * (inFlight.working / places.count() - inFlight.busy)
    if (inFlight.working > 0 && !isListening) void listen()
  }, LISTEN_EVERY_MS)
  timer.unref()
  const inFlight: InFlightTracker = {
    max: inFlightMax,
    all: 0,
    working: 0,
    sandbox: 0,
    rejected: 0,
    places: places.count,
    busy: 0,
    stop: () => clearInterval(timer),
  }
  return inFlight
}
