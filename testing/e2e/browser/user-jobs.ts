import { expect, vi } from 'vitest'
import { COMPLETES_WITHIN_MS } from '../environment/jobs.ts'
import type { TestUser } from './users.ts'

type ListOptions = { filename?: string; mode?: 'live' | 'test'; emailColumn?: string }

/** Uploads a file as the pages do, and gives back the id of the draft. */
export async function uploadAs(person: TestUser, csv: string, options: ListOptions = {}): Promise<string> {
  const { filename = 'newsletter.csv', mode = 'test' } = options
  const answer = await person.context.request.post(`${person.url}/app/api/bulk/upload/preview`, {
    headers: {
      origin: person.url,
      'probity-app': '1',
      'probity-account': person.accountId,
      'probity-mode': mode,
    },
    multipart: { file: { name: filename, mimeType: 'text/csv', buffer: Buffer.from(csv) } },
  })
  expect([answer.status(), await answer.text()]).toEqual([200, expect.any(String)])
  return String(((await answer.json()) as { upload_id: string }).upload_id)
}

/** Uploads and confirms, and gives back the id of the list. */
export async function startListAs(person: TestUser, csv: string, options: ListOptions = {}): Promise<string> {
  const { mode = 'test', emailColumn = 'email' } = options
  const upload_id = await uploadAs(person, csv, options)
  const body = { upload_id, email_column: emailColumn }
  const confirmed = await person.sendRequest('POST', '/bulk/upload/confirm', body, { 'probity-mode': mode })
  expect([confirmed.status, confirmed.text]).toEqual([201, expect.any(String)])
  return String(confirmed.body['id'])
}

export async function finishListAs(person: TestUser, csv: string, options: ListOptions = {}): Promise<string> {
  const id = await startListAs(person, csv, options)
  const headers = { 'probity-mode': options.mode ?? 'test' }
  const status = async () => (await person.sendRequest('GET', `/bulk/jobs/${id}`, undefined, headers)).body['status']
  await vi.waitFor(async () => expect(await status()).toBe('completed'), {
    timeout: COMPLETES_WITHIN_MS,
    interval: 200,
  })
  return id
}
