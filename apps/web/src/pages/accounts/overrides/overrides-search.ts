/** Filters of the overrides in the URL. */
export type OverridesSearch = {
  action?: 'allow' | 'block' | undefined
  search?: string | undefined
  skip?: number | undefined
}

export function readOverridesSearch({ action, search, skip }: Record<string, unknown>): OverridesSearch {
  return {
    ...((action === 'allow' || action === 'block') && { action }),
    // A search text of digits is parsed as a number.
    ...((typeof search === 'string' || typeof search === 'number') && search !== '' && { search: String(search) }),
    ...(typeof skip === 'number' && Number.isInteger(skip) && skip > 0 && { skip }),
  }
}
