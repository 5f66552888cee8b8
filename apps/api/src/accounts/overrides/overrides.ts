import {
  AddedOverrides,
  AddOverrides,
  type Override,
  OverridePage,
  OverrideParams,
  OverrideQuery,
  OverrideSheet,
} from '@probity/contract/schemas/overrides'
import {
  addOverrides as addOverridesTo,
  countOverrides,
  type Override as KeptOverride,
  listOverrides as listOverridesOf,
  removeOverride,
} from '@probity/database/accounts/overrides'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { parseAddress } from '@probity/engine/address/parse'
import { stringify } from 'csv-stringify/sync'
import Type from 'typebox'
import { defuseCell } from '../../http/exports/defuse-cell.ts'
import { mapInSlices } from '../../http/in-slices.ts'
import { BODY_PROBLEMS, IDEMPOTENCY_PROBLEMS, MIDDLEWARE_PROBLEMS, operation } from '../../http/openapi.ts'
import { keepFilter, readPage, sendPageHeaders } from '../../http/page.ts'
import { Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { storable } from '../../http/text.ts'
import { refuseTestKey } from '../../middleware/authentication/authenticate.ts'

/** Any local part works: it turns a domain into an address, so that both are parsed by the same rules. */
const LOCAL_PART = 'any'

/** Normalizes a target for comparison: an address to its key, a domain to the form used in such keys. Undefined if it is neither. */
export function readTarget(text: string): string | undefined {
  const plain = text.trim()
  if (plain.slice(1).includes('@')) return keyOf(plain)
  const domain = plain.startsWith('@') ? plain.slice(1) : plain
  const address = parseAddress(`${LOCAL_PART}@${domain}`)
  if (address.kind !== 'address' || address.domain.kind !== 'name') return undefined
  return keyOf(`${LOCAL_PART}@${domain}`)?.slice(LOCAL_PART.length + 1)
}

/** The key of a text that is not an address starts with a space. */
function keyOf(text: string): string | undefined {
  const key = dedupeKey(text)
  return key.startsWith(' ') || parseAddress(text).kind !== 'address' ? undefined : key
}

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
        ...MIDDLEWARE_PROBLEMS,
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

/** Removes duplicate targets. The error names the targets that cannot be parsed. */
async function readTargets(texts: string[]): Promise<string[]> {
  const read = await mapInSlices(texts, readTarget)
  const errors = read.flatMap((target, n) =>
    target === undefined ? [{ pointer: `/targets/${n}`, detail: 'must be an address or a domain' }] : [],
  )
  if (errors.length > 0) throw new Problem('invalid_request', undefined, { errors: errors.slice(0, ERRORS_MAX) })
  return [...new Set(read.filter((target) => target !== undefined))]
}

const ERRORS_MAX = 20

export function presentOverride({ id, target, action, note, createdBy, createdAt }: KeptOverride): Override {
  return { id, target, action, note, created_by: createdBy, created_at: createdAt.toISOString() }
}

const COLUMNS = ['action', 'target', 'note', 'created_by', 'created_at'] as const satisfies (keyof Override)[]

/** The limit of overrides per account keeps the export small enough for one response. */
export function writeOverrides(overrides: KeptOverride[]): string {
  const rows = overrides.map((one) => {
    const override = presentOverride(one)
    return COLUMNS.map((column) => defuseCell(override[column] ?? ''))
  })
  return stringify([[...COLUMNS], ...rows], { quoted: true, quoted_empty: true, record_delimiter: 'windows' })
}

/** The overrides of the account. */
export const listOverrides: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'listOverrides',
      tag: 'Overrides',
      summary: 'List overrides',
      description:
        'The addresses and domains that the account allows or blocks, sorted by `target`. The total is in `X-Total-Count`, the adjacent pages are in `Link`.',
      problems: ['invalid_request', ...MIDDLEWARE_PROBLEMS],
    },
    { querystring: OverrideQuery, response: { 200: ANSWERS } },
  )
  const options = { schema, config: { scope: 'account:read' }, exposeHeadRoute: false } as const
  app.get('/overrides', options, async ({ auth: { accountId }, query }, reply) => {
    const { action, search } = query
    const filter = { action, search: search && storable(search) }
    if (query.format === 'csv') {
      const all = await inTenant(db, accountId, (trx) => listOverridesOf(trx, accountId, filter))
      reply.headers({ 'content-type': 'text/csv; charset=utf-8', 'content-disposition': DISPOSITION })
      return reply.send(writeOverrides(all))
    }
    const page = readPage(query)
    const { rows, total } = await inTenant(db, accountId, async (trx) => ({
      rows: await listOverridesOf(trx, accountId, { ...filter, ...page }),
      total: await countOverrides(trx, accountId, filter),
    }))
    sendPageHeaders(reply, page, total)
    keepFilter(reply, { ...(action && { action }), ...(search && { search }) })
    return rows.map(presentOverride)
  })
}

const ANSWERS = {
  description: 'The overrides, in the requested format.',
  content: { 'application/json': { schema: OverridePage }, 'text/csv': { schema: OverrideSheet } },
}

const DISPOSITION = 'attachment; filename="allow-and-block.csv"'

/** One override of the account. */
export const manageOverride: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'deleteOverride',
      tag: 'Overrides',
      summary: 'Delete an override',
      description: 'The override no longer applies from the next request on. Requires a live key.',
      problems: ['invalid_request', 'live_key_required', 'not_found', ...MIDDLEWARE_PROBLEMS],
    },
    { params: OverrideParams, response: { 204: Type.Null({ description: 'The override was deleted.' }) } },
  )
  const options = { schema, config: { scope: 'account:write' } } as const
  app.delete('/overrides/:override_id', options, async ({ auth, params }, reply) => {
    refuseTestKey(auth)
    const isRemoved = await inTenant(db, auth.accountId, (trx) =>
      removeOverride(trx, auth.accountId, params.override_id),
    )
    if (!isRemoved) throw new Problem('not_found')
    return reply.code(204).send(null)
  })
}
