import type { Listing } from '@probity/contract/listings'
import type { Listing as KeptListing } from '@probity/database/listings'
import { stringify } from 'csv-stringify/sync'
import { defuseCell } from '../results/defuse-cell.ts'

export function presentListing({ id, entry, action, note, addedBy, addedAt }: KeptListing): Listing {
  return { id, entry, list: action, note, added_by: addedBy, added_at: addedAt.toISOString() }
}

const COLUMNS = ['list', 'entry', 'note', 'added_by', 'added_at'] as const satisfies (keyof Listing)[]

/** All of them fit into one answer: an account has some thousand at most. */
export function writeListings(listings: KeptListing[]): string {
  const rows = listings.map((one) => {
    const listing = presentListing(one)
    return COLUMNS.map((column) => defuseCell(listing[column] ?? ''))
  })
  return stringify([[...COLUMNS], ...rows], { quoted: true, quoted_empty: true, record_delimiter: 'windows' })
}
