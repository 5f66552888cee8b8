import { AddedOverrides, AddOverrides } from '@probity/contract/schemas/overrides'
import { addOverrides as addOverridesTo } from '@probity/database/accounts/overrides'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { mapInSlices } from '../../http/in-slices.ts'
import { BODY_PROBLEMS, DOOR_PROBLEMS, IDEMPOTENCY_PROBLEMS, operation } from '../../http/openapi.ts'
import { Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { storable } from '../../http/storable.ts'
import { refuseTestKey } from '../../middleware/authentication/authenticate.ts'
import { readTarget } from './read-target.ts'

/** A thousand targets of a thousand bytes, with the JSON around them. */
const BODY_BYTES_MAX = 1024 * 1024 + 16 * 1024

/** Allows or blocks addresses and domains. */
export const addOverrides: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'createOverrides',
      tag: 'Overrides',
      summary: 'Allow or block addresses and domains',
      description:
        'All targets are added or, if one is neither an address nor a domain, none. A target with the other action changes to this one. Overrides apply from the next request on; stored job results do not change. Requires a live key.',
      problems: [
        'invalid_request',
        'live_key_required',
        'too_many_overrides',
        ...BODY_PROBLEMS,
        ...IDEMPOTENCY_PROBLEMS,
        ...DOOR_PROBLEMS,
      ],
    },
    { body: AddOverrides, response: { 200: AddedOverrides } },
  )
  const options = { schema, config: { scope: 'account:write' }, bodyLimit: BODY_BYTES_MAX } as const
  app.post('/overrides', options, async ({ auth, body: { action, targets, note } }) => {
    refuseTestKey(auth)
    const overrides = {
      action,
      targets: await readTargets(targets),
      note: note && storable(note),
      createdBy: auth.name,
    }
    const added = await inTenant(db, auth.accountId, (trx) => addOverridesTo(trx, auth.accountId, overrides))
    if (added === 'too_many') throw new Problem('too_many_overrides')
    return added
  })
}

/** Each target once. The error names the targets that cannot be parsed. */
async function readTargets(texts: string[]): Promise<string[]> {
  const read = await mapInSlices(texts, readTarget)
  const errors = read.flatMap((target, n) =>
    target === undefined ? [{ pointer: `/targets/${n}`, detail: 'must be an address or a domain' }] : [],
  )
  if (errors.length > 0) throw new Problem('invalid_request', undefined, { errors: errors.slice(0, ERRORS_MAX) })
  return [...new Set(read.filter((target) => target !== undefined))]
}

const ERRORS_MAX = 20
