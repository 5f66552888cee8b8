import { SIMULATED_LIMITS } from '@probity/lab/simulation/data/provider-limits'

/**
 * A retry schedule with enough attempts for a server that rejects every third connection. The last delay is longer than any pause of a process here:
 * in production, too, the schedule is longer than every outage. The schedule of the simulation is short, for interactive use.
 */
const RETRY_DELAYS_S = [1, 2, 3, 5, 5, 5, 10, 20]

const lenient = Object.entries(SIMULATED_LIMITS).map(([name, limits]) => [
  name,
  { ...limits, retryDelaysS: RETRY_DELAYS_S },
])

export const LENIENT_LIMITS: typeof SIMULATED_LIMITS = Object.fromEntries(lenient)
