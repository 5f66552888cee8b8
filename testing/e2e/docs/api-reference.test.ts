import { PUBLIC_SANDBOX_KEY } from '@probity/contract/constants/sandbox'
import { expect, test } from 'vitest'
import { startBrowser } from '../browser/browser.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'

const { api } = await useSharedInstance()

test('the reference shows every operation and calls no other host', async () => {
  const browser = await startBrowser()
  const page = await browser.newPage()
  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))

  await page.goto(`${api.url}/docs/api`)
  await page.getByRole('heading', { name: 'Probity' }).waitFor()
  for (const title of ['Get plan, credits and limits', 'Create an API key', 'Revoke an API key']) {
    await page.getByText(title).first().waitFor({ state: 'attached' })
  }

  expect(asked.length).toBeGreaterThan(2)
  expect(asked.filter((url) => !url.startsWith(api.url) && !url.startsWith('data:'))).toEqual([])
  expect(complaints).toEqual([])
})

test('the reference has the header of the docs, begins with validations and has the sandbox key entered', async () => {
  const browser = await startBrowser()
  const page = await browser.newPage()
  await page.goto(`${api.url}/docs/api/`)
  await page.getByRole('heading', { name: 'Validation', level: 2 }).waitFor()
  const { tags } = (await (await fetch(`${api.url}/api/v1/openapi.json`)).json()) as { tags: { name: string }[] }
  const headings = (await page.getByRole('heading', { level: 2 }).allInnerTexts()).map((text) => text.trim())
  expect(headings.filter((text) => tags.some(({ name }) => name === text))[0]).toBe('Validation')
  const key = page.locator(`input[value="${PUBLIC_SANDBOX_KEY}"]`)
  expect(await key.count()).toBe(1)
  await page.getByRole('banner').getByRole('link', { name: 'Docs', exact: true }).click()
  await page.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor()
})

test('the script of the reference can call the API and nothing of the web application', async () => {
  const browser = await startBrowser()
  const page = await browser.newPage()
  await page.goto(`${api.url}/docs/api`)
  await page.getByRole('heading', { name: 'Probity' }).waitFor()
  const call = (path: string) =>
    page.evaluate(
      (url) =>
        fetch(url).then(
          ({ status }) => String(status),
          () => 'blocked',
        ),
      path,
    )
  expect(await call('/api/v1/account')).toBe('401')
  for (const path of ['/app/api/session', '/app/api/operator/health', '/api/v1/../../app/api/session'])
    expect([path, await call(path)]).toEqual([path, 'blocked'])
  expect(await page.evaluate(() => window.open('/app/') === null)).toBe(true)
  const framed = await page.evaluate(() => {
    const frame = document.createElement('iframe')
    frame.src = '/app/'
    document.body.append(frame)
    return new Promise((resolve) => {
      frame.onload = () =>
        resolve(frame.contentDocument?.querySelector('#root') === undefined || frame.contentDocument === null)
    })
  })
  expect(framed).toBe(true)
})
