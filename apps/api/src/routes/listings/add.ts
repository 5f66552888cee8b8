import { AddedListings, AddListings } from '@probity/contract/listings'
import { inTenant } from '@probity/database/connect'
import { addListings as addListingsTo } from '@probity/database/listings'
import { refuseTestKey } from '../../door/authenticate.ts'
import { mapInSlices } from '../../in-slices.ts'
import { readEntry } from '../../listings/read-entry.ts'
import { BODY_PROBLEMS, DOOR_PROBLEMS, operation } from '../../openapi.ts'
import { Problem } from '../../problem.ts'
import type { Route } from '../../route.ts'
import { storable } from '../../validation/storable.ts'

/** A thousand entries of a thousand bytes, with what JSON needs around them. */
const BODY_BYTES_MAX = 1024 * 1024 + 16 * 1024

/** Puts addresses and domains on a list. */
export const addListings: Route = async (app, { db }) => {
  const schema = operation(
    {
      id: 'addListings',
      tag: 'Own lists',
      summary: 'Allow or block addresses and domains',
      description:
        'All of them or, where one is neither an address nor a domain, none. What is on the other list moves to this one. It holds from the next request on; results of lists that are kept already stay as they are. Needs a live key.',
      problems: ['invalid_request', 'too_many_listings', ...BODY_PROBLEMS, ...DOOR_PROBLEMS],
    },
    { body: AddListings, response: { 200: AddedListings } },
  )
  const options = { schema, config: { scope: 'settings' }, bodyLimit: BODY_BYTES_MAX } as const
  app.post('/listings', options, async ({ caller, body: { list, entries, note } }) => {
    refuseTestKey(caller)
    const listings = { list, entries: await readEntries(entries), note: note && storable(note), addedBy: caller.name }
    const added = await inTenant(db, caller.accountId, (trx) => addListingsTo(trx, caller.accountId, listings))
    if (added === 'too_many') throw new Problem('too_many_listings')
    return added
  })
}

/** Each once. Says of all that cannot be read which they are. */
async function readEntries(texts: string[]): Promise<string[]> {
  const read = await mapInSlices(texts, readEntry)
  const errors = read.flatMap((entry, n) =>
    entry === undefined ? [{ pointer: `/entries/${n}`, detail: 'must be an address or a domain' }] : [],
  )
  if (errors.length > 0) throw new Problem('invalid_request', undefined, { errors: errors.slice(0, ERRORS_MAX) })
  return [...new Set(read.filter((entry) => entry !== undefined))]
}

const ERRORS_MAX = 20
