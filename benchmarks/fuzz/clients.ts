import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { KEY_SCOPES, type KeyScope } from '@probity/contract/constants/keys'
import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { insertAccount } from '@probity/database/accounts/accounts'
import { insertKey, type NewKey } from '@probity/database/accounts/keys'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import type { WireRequest } from './build-request.ts'
import { type Environment, PLAN } from './environment.ts'
import type { Received } from './send.ts'

export type Send = (request: WireRequest) => Promise<Received | undefined>

/** A client of the service: the headers that authenticate it. */
export type Client = {
  headers(): Record<string, string>
  isAlive(): Promise<boolean>
  /** Values of fields that are named after the client's own account. */
  ids?: Record<string, string>
}

const ORIGIN = 'https://shop.example'

/** Requests come from many addresses, since several limits are per address. */
export function anyAddress(): string {
  return `10.${randomInt(256)}.${randomInt(256)}.${1 + randomInt(250)}`
}

type Setting = { environment: Environment; send: Send; protectedIds: Set<string> }

export async function openKeyClients({ environment: { db }, send, protectedIds }: Setting): Promise<Client[]> {
  const account = await asOwner(db, (trx) => insertAccount(trx, { name: 'fuzz', plan: PLAN, unlimited: true }))
  const scopes = Object.keys(KEY_SCOPES) as KeyScope[]
  const make = async (key: Partial<NewKey>): Promise<string> => {
    const made = await inTenant(db, account.id, (trx) =>
      insertKey(trx, account.id, { mode: 'live', name: 'fuzz', scopes, ...key }),
    )
    protectedIds.add(made.key.id)
    return made.text
  }
  const origins = {
    kind: 'publishable',
    allowedOrigins: [ORIGIN],
    visitorCap: 10_000,
    scopes: ['validations:write'],
  } as const
  const keys = [
    { 'x-api-key': await make({}) },
    { 'x-api-key': await make({ mode: 'test' }) },
    { 'x-api-key': await make({ ...origins, scopes: [...origins.scopes], allowedOrigins: [ORIGIN] }), origin: ORIGIN },
    { 'x-api-key': PUBLIC_SANDBOX_KEY },
    {},
  ]
  return keys.map((key, n) => ({
    headers: () => ({ 'x-forwarded-for': anyAddress(), ...key }) as Record<string, string>,
    isAlive: async () => n > 1 || (await statusOf(send, '/api/v1/account', { ...key })) === 200,
  }))
}

/** A user who is an operator and owns an account, signed in as a browser would. */
export async function openSession(
  { environment, send, protectedIds }: Setting,
  mode: 'live' | 'test',
): Promise<Client> {
  const { db, url, readLog } = environment
  const email = `user-${randomUUID()}@example.org`
  const password = 'correct horse battery staple'
  const own = { origin: url, 'probity-app': '1', 'x-forwarded-for': anyAddress() }
  const post = (path: string, body: object, headers = {}) =>
    send({
      method: 'POST',
      path: `/app/api${path}`,
      headers: { ...own, ...headers, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(body)),
      params: {},
    })
  const before = linksIn(readLog()).length
  await post('/auth/sign-up/email', { name: 'Ada', email, password })
  const token = await untilLink(readLog, before)
  await post('/verify-email', { token, password })
  const signedIn = await post('/auth/sign-in/email', { email, password })
  const cookie = [signedIn?.headers['set-cookie'] ?? []]
    .flat()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
  const opened = (await post('/accounts', { name: 'Engines' }, { cookie }))?.json as { account_id: string }
  await asOwner(db, async (trx) => {
    await sql`update accounts set plan = ${PLAN}, unlimited = true where id = ${opened.account_id}`.execute(trx)
    await sql`update users set is_operator = true where email = ${email}`.execute(trx)
  })
  protectedIds.add(opened.account_id)
  const headers = { ...own, cookie, 'probity-account': opened.account_id, 'probity-mode': mode }
  return {
    ids: { organizationId: opened.account_id, account_id: opened.account_id },
    headers: () => ({ ...headers, 'x-forwarded-for': anyAddress() }),
    isAlive: async () => (await statusOf(send, '/app/api/account', headers)) === 200,
  }
}

async function statusOf(send: Send, path: string, headers: Record<string, string>): Promise<number | undefined> {
  return (await send({ method: 'GET', path, headers, body: undefined, params: {} }))?.status
}

/** Links of emails, which the API writes to its log where it has no SMTP relay. */
function linksIn(log: string): string[] {
  return [...log.matchAll(/"link":"[^"]*=([^"]+)"/g)].map(([, token = '']) => token)
}

const LINK_TRIES = 200

async function untilLink(readLog: () => string, before: number): Promise<string> {
  for (let tries = 0; tries < LINK_TRIES; tries++) {
    const link = linksIn(readLog()).at(before)
    if (link !== undefined) return link
    await sleep(25)
  }
  throw new Error('no verification link in the log')
}
