export const ACCOUNT_STATES = { suspended: 'Suspended', on_hold: 'On hold' } as const
export type AccountState = keyof typeof ACCOUNT_STATES

export type AccountsSearch = { search?: string; state?: AccountState; skip?: number }

export function readAccountsSearch({ search, state, skip }: Record<string, unknown>): AccountsSearch {
  return {
    ...((typeof search === 'string' || typeof search === 'number') && search !== '' && { search: String(search) }),
    ...(typeof state === 'string' && Object.hasOwn(ACCOUNT_STATES, state) && { state: state as AccountState }),
    ...(Number.isInteger(skip) && (skip as number) > 0 && { skip: skip as number }),
  }
}

/** Time ranges of the provider figures, in hours. */
const HOURS = [1, 24, 168] as const
export type Hours = (typeof HOURS)[number]
export const HOURS_USUAL: Hours = 24

type ProvidersSearch = { hours?: Hours }

export function readProvidersSearch({ hours }: Record<string, unknown>): ProvidersSearch {
  return HOURS.includes(hours as Hours) && hours !== HOURS_USUAL ? { hours: hours as Hours } : {}
}
