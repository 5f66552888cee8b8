/** What of the lists is shown, as it stands in the address. */
export type ListingsSearch = {
  list?: 'allow' | 'block' | undefined
  search?: string | undefined
  skip?: number | undefined
}

export function readListingsSearch({ list, search, skip }: Record<string, unknown>): ListingsSearch {
  return {
    ...((list === 'allow' || list === 'block') && { list }),
    // A search of figures alone comes as a number.
    ...((typeof search === 'string' || typeof search === 'number') && search !== '' && { search: String(search) }),
    ...(typeof skip === 'number' && Number.isInteger(skip) && skip > 0 && { skip }),
  }
}
