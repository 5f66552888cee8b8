import { randomUUID } from 'node:crypto'
import { createBatcher } from '@probity/concurrency/scheduling'
import { openPool } from '@probity/database/connection/connect'
import { connectRedis } from '@probity/redis/connection'
import { fastify } from 'fastify'

/**
 * The server that the product is compared with: Fastify with a validated body, one call to Redis, and a response of the
 * same size. With a database it also charges one credit before each response, durably and in groups.
 */
const [port = '0', redisUrl = '', bytes = '0', databaseUrl] = process.argv.slice(2)
const redis = connectRedis(redisUrl)
const answer = JSON.stringify({ text: 'x'.repeat(Math.max(0, Number(bytes) - '{"text":""}'.length)) })
const charge = databaseUrl === undefined ? undefined : await openCharges(databaseUrl)

const body = { type: 'object', properties: { email: { type: 'string' } }, required: ['email'] }
const app = fastify()
app.post('/api/v1/validation/single', { schema: { body } }, async (_request, reply) => {
  await redis.get('bare')
  await charge?.()
  return reply.type('application/json; charset=utf-8').send(answer)
})
await app.listen({ host: '127.0.0.1', port: Number(port) })

/** The minimum of a durable charge: one statement per group updates a balance and inserts a ledger entry. */
async function openCharges(url: string): Promise<() => Promise<void>> {
  const pool = openPool(url, { connectionsMax: 2, applicationName: 'bare' })
  await pool.query(`
    create table if not exists bare_accounts (id integer primary key, available bigint not null);
    create table if not exists bare_ledger (subject uuid primary key, credits integer not null, at timestamptz not null default clock_timestamp());
    insert into bare_accounts values (1, 1000000000000) on conflict do nothing`)
  const gather = createBatcher<null, null>(200, async (_name, group) => {
    await pool.query({
      name: 'charge',
      text: `with entry as (insert into bare_ledger (subject, credits) values ($1, $2))
        update bare_accounts set available = available - $2 where id = 1 returning available`,
      values: [randomUUID(), group.length],
    })
    return group
  })
  return async () => void (await gather('', null))
}
