import { createTestDatabase } from '@probity/database/test-database'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { startApiProcess } from './test-process.ts'

// Chromium has services of its own that it would like to reach; none of them is ours.
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const { url: databaseUrl } = await createTestDatabase()
const api = await startApiProcess({ DATABASE_URL: databaseUrl, STOP_NOTICE_MS: '0' })

test('the reference shows every operation and calls no other host', async () => {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: QUIET })
  try {
    const page = await browser.newPage()
    const asked: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))

    await page.goto(`${api.url}/docs/api`)
    await page.getByRole('heading', { name: 'Probity' }).waitFor()
    for (const title of ['Show plan, credits and limits', 'Create an API key', 'Revoke an API key']) {
      await page.getByText(title).first().waitFor({ state: 'attached' })
    }

    expect(asked.length).toBeGreaterThan(2)
    expect(asked.filter((url) => !url.startsWith(api.url) && !url.startsWith('data:'))).toEqual([])
    expect(complaints).toEqual([])
  } finally {
    await browser.close()
  }
}, 60_000)
