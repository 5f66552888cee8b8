import { WORLD_HABITS } from '@probity/lab/simulation/data/provider-limits'

/**
 * As many waits as it takes to meet a server that turns every third connection away in a good moment, and the last is longer than a
 * process stands still here: in reality, too, the ladder outlasts every mishap of ours. The world's own is short, for people who look on.
 */
const LADDER_S = [1, 2, 3, 5, 5, 5, 10, 20]

const patient = Object.entries(WORLD_HABITS).map(([name, habits]) => [name, { ...habits, retryDelaysS: LADDER_S }])

export const PATIENT_HABITS: typeof WORLD_HABITS = Object.fromEntries(patient)
