import { buildRequest } from './build-request.ts'
import { type Client, openKeyClients, openSession, type Send } from './clients.ts'
import type { Environment } from './environment.ts'
import { makePlans, type Plan } from './hostile.ts'
import { type KnownIds, openKnownIds } from './known-ids.ts'
import type { Operation } from './operations.ts'

/** The result of a run. */
export type Tally = {
  requests: number
  /** Responses by the first digit of their status. */
  statuses: Record<string, number>
  rateLimited: number
  /** Requests that got no response. */
  unanswered: string[]
  /** Responses with 5xx: operation, status and problem code. */
  serverErrors: string[]
  covered: Set<string>
  succeeded: Set<string>
  /** By operation: status and problem code of the last valid request that was rejected. */
  rejections: Map<string, string>
  slowest: { operation: string; ms: number }
}

export type FuzzOptions = { requests: number; seed: number; parallel: number; report(line: string): void }

const PLANS_AT_ONCE = 500
const REPORT_EVERY = 5_000
/** After this many requests each client is checked, if one of its requests was rejected. */
const ALIVE_EVERY = 20
/** Valid requests to each operation before hostile ones. */
const VALID_ROUNDS = 2

export async function runFuzz(
  { environment, send, operations }: { environment: Environment; send: Send; operations: Operation[] },
  { requests, seed, parallel, report }: FuzzOptions,
): Promise<Tally> {
  const setting = { environment, send, protectedIds: new Set<string>() }
  const tally = newTally()
  let keys = await openGroup(operations, setting, openKeyClients)
  let sessions = await openGroup(operations, setting, openSessions)

  for (let first = 0; first < requests; first += PLANS_AT_ONCE) {
    if (first % REPORT_EVERY === 0) report(`${first} of ${requests} requests, ${tally.serverErrors.length} with 5xx`)
    const plans = makePlans(seed + first, Math.min(PLANS_AT_ONCE, requests - first))
    for (let from = 0; from < plans.length; from += ALIVE_EVERY) {
      const queue = plans.slice(from, from + ALIVE_EVERY).entries()
      const work = async () => {
        for (const [n, plan] of queue) {
          const no = first + from + n
          const round = Math.floor(no / operations.length)
          const operation = operationOf(operations, { round, at: no % operations.length })
          const group = operation.template.startsWith('/app/') ? sessions : keys
          await sendPlan({ send, tally }, { operation, plan: round < VALID_ROUNDS ? asValid(plan) : plan, group })
        }
      }
      await Promise.all(Array.from({ length: parallel }, work))
      if (!(await isWhole(keys))) keys = await openGroup(operations, setting, openKeyClients)
      if (!(await isWhole(sessions))) sessions = await openGroup(operations, setting, openSessions)
    }
  }
  return tally
}

/** The share of rounds that includes sign-in and sign-out: each costs a password hash. */
const SIGN_IN_EVERY = 4

/** In the first round no created object is deleted, so that the next one can use it. */
function operationOf(operations: Operation[], { round, at }: { round: number; at: number }): Operation {
  const operation = operations[at] as Operation
  if (round === 0 && operation.method === 'DELETE') {
    return operations.find(({ method, template }) => method === 'GET' && template === operation.template) ?? operation
  }
  const isLeftOut = operation.template.startsWith('/app/api/auth') && round > VALID_ROUNDS && round % SIGN_IN_EVERY > 0
  return isLeftOut ? (operations[(at * round) % operations.length] as Operation) : operation
}

type Setting = Parameters<typeof openKeyClients>[0]

/**
 * Clients of one account, and the ids that they have seen. A hostile request may delete the account or end a session.
 */
type Group = { clients: Client[]; known: KnownIds; isSuspect: boolean }

async function openGroup(
  operations: Operation[],
  setting: Setting,
  open: (setting: Setting) => Promise<Client[]>,
): Promise<Group> {
  const known = openKnownIds(operations, setting.protectedIds)
  return { clients: await open(setting), known, isSuspect: false }
}

async function openSessions(setting: Setting): Promise<Client[]> {
  return [await openSession(setting, 'live'), await openSession(setting, 'test')]
}

async function isWhole(group: Group): Promise<boolean> {
  if (!group.isSuspect) return true
  group.isSuspect = false
  return (await Promise.all(group.clients.map((client) => client.isAlive()))).every(Boolean)
}

/** The same plan without hostile changes, by the client with the most permissions. */
function asValid({ picks: [, ...picks] }: Plan): Plan {
  return { picks: [0, ...picks], changes: [], raw: undefined, contentType: undefined }
}

/** The first client, which has the most permissions, sends half of the requests. */
function chooseClient({ picks: [pick = 0] }: Plan, { clients }: Group): Client {
  return (pick % 2 === 0 ? clients[0] : clients[(pick >> 1) % clients.length]) as Client
}

type One = { operation: Operation; plan: Plan; group: Group }

async function sendPlan({ send, tally }: { send: Send; tally: Tally }, { operation, plan, group }: One) {
  const { known } = group
  const client = chooseClient(plan, group)
  const { ids = {} } = client
  const valueFor: KnownIds['valueFor'] = (field, choose) => ids[field] ?? known.valueFor(field, choose)
  const request = buildRequest(operation, plan, { ...known, valueFor })
  request.headers = { ...request.headers, ...client.headers() }
  const received = await send(request)
  const { name } = operation
  tally.requests++
  tally.covered.add(name)
  if (received === undefined) {
    tally.unanswered.push(name)
    return
  }
  const { status, json, ms } = received
  const kind = `${Math.trunc(status / 100)}xx`
  tally.statuses[kind] = (tally.statuses[kind] ?? 0) + 1
  if (status === 429) tally.rateLimited++
  if (ms > tally.slowest.ms) tally.slowest = { operation: name, ms: Math.round(ms) }
  if (status >= 500) tally.serverErrors.push(describe(name, status, { json, request }))
  if (status < 200 || status >= 300) {
    if (status === 404) known.forget(request.params)
    if ([401, 403, 404].includes(status)) group.isSuspect = true
    if (plan.changes.length === 0) tally.rejections.set(name, `${status} ${(json as { code?: string })?.code ?? ''}`)
    return
  }
  tally.succeeded.add(name)
  if (operation.method === 'DELETE') known.forget(request.params)
  else known.learn(operation, request.params, json)
}

function describe(
  name: string,
  status: number,
  { json, request }: { json: unknown; request: { path: string; body: Buffer | undefined } },
) {
  const { code = '', request_id: id = '' } = (json ?? {}) as { code?: string; request_id?: string }
  const sent = `${request.path.slice(0, 300)} ${request.body?.toString().slice(0, 500) ?? ''}`
  return `${name}: ${status} ${code} ${id}\n  ${sent}`
}

function newTally(): Tally {
  return {
    requests: 0,
    statuses: {},
    rateLimited: 0,
    unanswered: [],
    serverErrors: [],
    covered: new Set(),
    succeeded: new Set(),
    rejections: new Map(),
    slowest: { operation: '', ms: 0 },
  }
}
