import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { readConfig } from '@probity/api/server/config'
import { openLog } from '@probity/api/server/log'
import { start } from '@probity/api/server/start'
import { pay, sendable, startTestStripe, subscribe, type TestStripe } from '@probity/api/testing/test-stripe'
import { createTestDatabase, type TestDatabase } from '@probity/database/connection/test-database'
import { freePort } from '@probity/lab/services/daemon'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { destination } from 'pino'
import { inject } from 'vitest'
import { type Instance, repeatWhileOverloaded } from './instance.ts'
import { listSettings } from './jobs.ts'
import { OPEN } from './programs.ts'

export type StripeInstance = TestDatabase & {
  api: Pick<Instance['api'], 'url' | 'readLog'>
  stripe: TestStripe
  /** Sends a Stripe event to the service and returns the response status. */
  tell(event: Parameters<typeof sendable>[0]): Promise<number>
}

/** The API in this process, with a fake Stripe that has checkout pages. It validates no addresses. */
export async function startStripeInstance(): Promise<StripeInstance> {
  const redis = await startRedis()
  whenDone(() => redis.stop())
  const [database, port] = await Promise.all([createTestDatabase(), freePort()])
  const url = `http://127.0.0.1:${port}`
  const things: TestStripe['things'][] = []
  const pages = await startPages(() => things[0])
  const stripe = await startTestStripe(pages)
  things.push(stripe.things)

  const settings = { ...listSettings(database.url, redis.url), ...OPEN, NEW_ACCOUNT_CREDITS: '0', PORT: String(port) }
  const config = { ...readConfig(settings), payments: { ...stripe.settings, publicUrl: url } }
  const logFile = join(inject('logFolder'), `shop-${randomUUID()}.log`)
  const api = await start(config, openLog('info', destination({ dest: logFile, sync: true })))
  whenDone(() => api.stop())

  const tell: StripeInstance['tell'] = async (event) => {
    // Stripe repeats an event that was not accepted.
    const { status } = await repeatWhileOverloaded(() => {
      const { url: path, method, headers, payload } = sendable(event)
      return fetch(`${url}${path}`, { method, headers, body: payload })
    })
    return status
  }
  return { ...database, api: { url, readLog: () => readFileSync(logFile, 'utf8') }, stripe, tell }
}

/** The pages of the fake Stripe: a checkout page with two links back, and a billing portal. */
async function startPages(find: () => TestStripe['things'] | undefined): Promise<TestStripe['pages']> {
  const server = createServer((request, response) => show(request, response, find() ?? new Map()))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  whenDone(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { checkout: `${url}/checkout`, portal: `${url}/portal` }
}

function show({ url = '/', method }: IncomingMessage, response: ServerResponse, things: TestStripe['things']): void {
  const [, place, id = ''] = url.split('/')
  const session = things.get(id)
  const isOpen = place === 'checkout' && session?.['status'] === 'open'
  if (place === 'portal') write(response, '<h1>Your payments</h1>')
  else if (!isOpen) write(response, '<h1>This page has expired</h1>')
  else if (method !== 'POST') write(response, payPage(id, session))
  else {
    if (session['mode'] === 'payment') pay({ things }, id)
    else subscribe({ things }, id)
    const back = String(session['success_url']).replace('{CHECKOUT_SESSION_ID}', id)
    response.writeHead(303, { location: back }).end()
  }
}

function payPage(id: string, { price, cancel_url: cancel }: Record<string, unknown>): string {
  const form = `<form method="post" action="/checkout/${id}"><button>Pay</button></form>`
  return `<h1>Pay for ${price}</h1>${form}<a href="${String(cancel).replaceAll('&', '&amp;')}">Back</a>`
}

function write(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
  response.end(`<!doctype html><html lang="en"><title>Payments</title><link rel="icon" href="data:,">${body}</html>`)
}
