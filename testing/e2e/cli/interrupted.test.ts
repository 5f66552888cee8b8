import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { formatKey } from '@probity/contract/constants/keys'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { openHome } from './run-cli.ts'

/** A service that does not respond to the creation of a job until `release`, and records requests. */
async function startSlowService() {
  const requests: string[] = []
  let isHeld = true
  const preview = {
    upload_id: 'u1',
    columns: ['email'],
    email_column: 'email',
    header_row: 1,
    column_details: [],
    repaired_examples: [],
    suggestion_count: 0,
    ...{ row_count: 3, line_count: 3, unique_count: 3, duplicate_count: 0, extra_address_count: 0 },
    ...{ blank_count: 0, empty_count: 0, not_address_count: 0, left_out_count: 0 },
    credits: { quote: 3, available: 10, unlimited: false },
    livemode: true,
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url?.replace('/api/v1', '') ?? ''
      const isUpload = path.startsWith('/bulk/upload/preview')
      requests.push(isUpload ? path : `${path} ${Buffer.concat(chunks)}`.trim())
      response.setHeader('content-type', 'application/json')
      if (isUpload) response.end(JSON.stringify(preview))
      else if (!isHeld) response.end(JSON.stringify({ id: 'j1', status: 'queued', livemode: true }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenDone(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, requests, release: () => (isHeld = false) }
}

const UPLOADED = '/bulk/upload/preview?several_addresses=all&malformed=skip'
const CREATED =
  '/bulk/upload/confirm {"upload_id":"u1","several_addresses":"all","malformed":"skip","email_column":"email"}'

test('the second Ctrl-C exits at once, and the same command again creates the job from the same upload', async () => {
  const service = await startSlowService()
  const key = formatKey('live', 'a'.repeat(32))
  const { path, run, start } = openHome({ PROBITY_BASE_URL: service.url, PROBITY_API_KEY: key })
  writeFileSync(path('list.csv'), 'email\na@example.com\nb@example.com\nc@example.com\n')
  const child = start(['jobs', 'create', 'list.csv', '--yes'])
  const exited = new Promise((resolve) => child.once('close', resolve))
  await vi.waitFor(() => expect(service.requests).toEqual([UPLOADED, CREATED]), { timeout: 20_000 })

  child.kill('SIGINT')
  // The first waits for the response with the id of the job.
  const early = await Promise.race([exited, new Promise((resolve) => setTimeout(() => resolve('running'), 300))])
  expect(early).toBe('running')
  child.kill('SIGINT')
  expect(await exited).toBe(130)
  const folder = path('.local/state/probity/jobs')
  expect(JSON.parse(readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8')).kind).toBe('confirming')

  service.release()
  service.requests.length = 0
  const again = await run(['jobs', 'create', 'list.csv', '--quiet'])
  expect(again).toEqual({ code: 0, stdout: 'j1\n', stderr: '' })
  expect(service.requests).toEqual([CREATED])
})

test('Ctrl-C ends a read from standard input', async () => {
  const { start } = openHome({ PROBITY_API_KEY: formatKey('live', 'a'.repeat(32)) })
  const child = start(['jobs', 'create', '-'])
  const exited = new Promise((resolve) => child.once('close', resolve))
  await vi.waitFor(() => expect(child.ran.stderr).toContain('Reading standard input.'), { timeout: 20_000 })
  child.kill('SIGINT')
  expect(await exited).toBe(130)
  expect(child.ran.stderr).toContain('probity: Interrupted.')
})
