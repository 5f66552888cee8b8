import { openPlaces } from './concurrency-limit.ts'

/** The requests that a process is answering, and how many it takes on. */
export type InFlightTracker = {
  /** The most there may be, of whatever kind. */
  max: number
  all: number
  /** Those that make work for others. */
  working: number
  /** Requests of this kind in test mode, which make none. */
  sandbox: number
  /** Those of this kind that found no place since the last echo. */
  turnedAway: number
  /** How many of these there may be. */
  places(): number
  /** Which share of the places was taken in the last second or two. */
  busy: number
  stop(): void
}

const LISTEN_EVERY_MS = 200
/** How much of what `busy` says is from the last look. */
const LAST_LOOK_SHARE = 0.2
/** The rest is for those who only look: they are quick, and must not be turned away because others make work. */
const WORK_SHARE = 0.75

/**
 * Sends a task without work to the workers every now and then, while there is something to do, and goes by how long it takes to come
 * back. One that is lost says nothing: workers that are being replaced are silent too, and who waits for them is answered.
 */
export function trackInFlight(inFlightMax: number, echo: () => Promise<number | undefined>): InFlightTracker {
  const places = openPlaces(Math.ceil(inFlightMax * WORK_SHARE))
  let isListening = false

  async function listen(): Promise<void> {
    isListening = true
    const ms = await echo()
    if (ms !== undefined) places.note(ms, crowd.working, crowd.turnedAway)
    crowd.turnedAway = 0
    isListening = false
  }

  const timer = setInterval(() => {
    crowd.busy += LAST_LOOK_SHARE * (crowd.working / places.count() - crowd.busy)
    if (crowd.working > 0 && !isListening) void listen()
  }, LISTEN_EVERY_MS)
  timer.unref()
  const crowd: InFlightTracker = {
    max: inFlightMax,
    all: 0,
    working: 0,
    sandbox: 0,
    turnedAway: 0,
    places: places.count,
    busy: 0,
    stop: () => clearInterval(timer),
  }
  return crowd
}
