import { afterEach, expect, test } from 'vitest'
import type { Route } from '../../http/route.ts'
import { startTestApi } from '../../testing/test-api.ts'
import type { LoadClass } from './in-flight-limit.ts'

/** One route per load class. Its requests wait until the test releases them. */
const waiting: Array<() => void> = []
const classes: Route = async (app) => {
  for (const loadClass of ['list', 'address', 'light'] as const) {
    app.get(`/${loadClass}`, { schema: { hide: true }, config: { loadClass } }, async () => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return {}
    })
  }
}

const api = await startTestApi({ routes: [classes], config: { inFlightMax: 12 } })
const { call } = await api.openCaller()
const { inFlight } = api.services
let inside: Array<ReturnType<typeof call>> = []

afterEach(async () => {
  for (const answer of waiting.splice(0)) answer()
  await Promise.all(inside)
  inside = []
  inFlight.busy = 0
})

async function letIn(loadClass: LoadClass, count: number): Promise<void> {
  const before = waiting.length
  inside.push(...Array.from({ length: count }, () => call({ method: 'GET', url: `/api/v1/${loadClass}` })))
  await expect.poll(() => waiting.length).toBe(before + count)
}

/** Sends one request of a class, and returns whether it was accepted or its Retry-After. */
async function tryOne(loadClass: LoadClass): Promise<string> {
  const before = waiting.length
  let answer: Awaited<ReturnType<typeof call>> | undefined
  const asked = call({ method: 'GET', url: `/api/v1/${loadClass}` }).then((said) => {
    answer = said
    return said
  })
  await expect.poll(() => answer !== undefined || waiting.length > before).toBe(true)
  if (answer) return `${answer.status}, again after ${answer.headers['retry-after']} s`
  inside.push(asked)
  return 'let in'
}

test('lists are rejected first, then validations of addresses, and requests that only read last', async () => {
  await letIn('address', 5)
  await expect.poll(() => inFlight.busy).toBeGreaterThan(0.5)
  expect(await tryOne('list')).toBe('503, again after 5 s')
  expect(await tryOne('address')).toBe('let in')

  await letIn('address', 3) // makes nine: three quarters of the limit
  expect(inFlight).toMatchObject({ all: 9, working: 9 })
  expect(await tryOne('address')).toBe('503, again after 1 s')

  await letIn('light', 3)
  expect(await tryOne('light')).toBe('503, again after 1 s')
})

test('requests that only read are accepted when the limit for work is lower', async () => {
  await letIn('address', 4)
  const all = inFlight.places
  inFlight.places = () => 4
  expect(await tryOne('address')).toBe('503, again after 1 s')
  expect(await tryOne('light')).toBe('let in')
  inFlight.places = all
})

test('a completed request frees its slot', async () => {
  await letIn('list', 5)
  await expect.poll(() => inFlight.busy).toBeGreaterThan(0.5)
  const { rejected } = inFlight
  expect(await tryOne('list')).toBe('503, again after 5 s')
  expect(inFlight.rejected).toBe(rejected + 1) // else the limit would not grow after the overload
  for (const answer of waiting.splice(0)) answer()
  await Promise.all(inside.splice(0))
  expect(inFlight).toMatchObject({ all: 0, working: 0 })
  await expect.poll(() => inFlight.busy).toBeLessThan(0.5)
  expect(await tryOne('list')).toBe('let in')
})

test('a list is accepted during a short peak', async () => {
  await letIn('address', 5)
  inFlight.busy = 0.2
  expect(await tryOne('list')).toBe('let in')
  await letIn('address', 3)
  inFlight.busy = 0.2
  expect(await tryOne('list')).toBe('503, again after 5 s')
})
