/** Time ranges of the provider figures, in hours. */
export const HOURS = [1, 24, 168] as const
export type Hours = (typeof HOURS)[number]
export const HOURS_USUAL: Hours = 24

export type ProvidersSearch = { hours?: Hours }

export function readProvidersSearch({ hours }: Record<string, unknown>): ProvidersSearch {
  return HOURS.includes(hours as Hours) && hours !== HOURS_USUAL ? { hours: hours as Hours } : {}
}
