import type { MailPopulation } from '@probity/lab/simulation/population'
import type { Stop } from './data/stops.ts'

export type Example = { email: string; stop: Stop }

/** The nth simulated address for each stop, or the last one if there are fewer. */
export function pickExamples(simulation: MailPopulation, stops: Stop[], nth: number): Example[] {
  return stops.map((stop) => {
    const suitable = simulation.addresses.filter(({ email, behaviour }) => {
      return behaviour === stop.at && simulation.expected(email).verdicts[0]?.subStatus === stop.subStatus
    })
    const example = suitable[nth] ?? suitable.at(-1)
    if (example === undefined)
      throw new Error(`the simulation has no address of ${stop.at} for ${stop.subStatus || 'valid'}`)
    return { email: example.email, stop }
  })
}
