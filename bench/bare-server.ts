import { connectRedis } from '@probity/queue/redis'
import { fastify } from 'fastify'

/** What the product is measured against: Fastify with a checked body, one call to Redis, and an answer of the same size. */
const [port = '0', redisUrl = '', bytes = '0'] = process.argv.slice(2)
const redis = connectRedis(redisUrl)
const answer = JSON.stringify({ text: 'x'.repeat(Math.max(0, Number(bytes) - '{"text":""}'.length)) })

const body = { type: 'object', properties: { email: { type: 'string' } }, required: ['email'] }
const app = fastify()
app.post('/api/v1/validation/single', { schema: { body } }, async (_request, reply) => {
  await redis.get('bare')
  return reply.type('application/json; charset=utf-8').send(answer)
})
await app.listen({ host: '127.0.0.1', port: Number(port) })
