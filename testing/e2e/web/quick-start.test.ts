import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { installSdk } from '../api/sdk/install.ts'
import { onePage, startBrowser } from '../browser/browser.ts'
import { signUpUser } from '../browser/users.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'

const SOON = { timeout: 15_000 }
const run = promisify(execFile)
const instance = await useSharedInstance()
const browser = await startBrowser()

async function openQuickStart(query = ''): Promise<Page> {
  const { context } = await signUpUser(browser, instance)
  const page = await onePage(context)
  await page.goto(`/app/quick-start${query}`)
  await page.getByRole('heading', { level: 1, name: 'Quick start' }).waitFor()
  return page
}

const card = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title }) })

test('the first validation needs no key and works with the keyboard alone', async () => {
  const page = await openQuickStart()
  await page.getByRole('button', { name: 'typo', exact: true }).focus()
  await page.keyboard.press('Enter')
  const answer = card(page, 'Try it')
  await answer.getByText('Do not send', { exact: true }).waitFor()
  await answer
    .getByText(/does not exist/)
    .first()
    .waitFor()
  await answer.getByRole('button', { name: 'Validate suggestion' }).waitFor()
  await answer.getByRole('tab', { name: 'Details' }).focus()
  await page.keyboard.press('ArrowRight')
  await answer.getByText('"did_you_mean"').waitFor()
  await card(page, 'Checklist')
    .getByRole('listitem')
    .filter({ hasText: 'Validate an address' })
    .getByText('done')
    .waitFor()
})

test('the quick start is in test mode, and the switch to live mode opens the dashboard', async () => {
  const page = await openQuickStart()
  await page.getByRole('banner').getByRole('radio', { name: 'Test' }).waitFor()
  expect(await page.getByRole('banner').getByRole('radio', { name: 'Test' }).isChecked()).toBe(true)
  await page.getByRole('link', { name: 'Use a sample file' }).click()
  await page.waitForURL(/\/app\/lists\/new\?.*upload=/)
  await page.goBack()
  await page.goto('/app/quick-start?mode=test')
  await page.getByRole('banner').getByRole('radio', { name: 'Live' }).click()
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor()
  expect(new URL(page.url()).searchParams.get('mode')).toBeNull()
})

test('a request with the new key appears with its verdict', async () => {
  const page = await openQuickStart()
  const { url } = instance.api
  const request = card(page, 'Make a request')
  await request.getByText('$PROBITY_API_KEY').waitFor() // until a key exists
  await request.getByRole('button', { name: 'Create test key' }).click()
  const key = await request.getByLabel('Quick start').inputValue()
  expect(key).toMatch(/^pb_test_/)
  await request.getByText('Waiting for your first request.').waitFor()

  const command = await request.locator('pre').first().textContent()
  expect(command).toContain(key)
  expect(command).toContain(url)
  await run('sh', ['-c', `${command} -sS`])
  const row = request.getByRole('log').locator('p').first()
  await row.waitFor()
  expect(await row.textContent()).toMatch(/\d\d:\d\d:\d\d.*POST \/.*validation\/single.*200.* m?s.*Valid/)
  await request.getByText('Request received.').waitFor()
  for (const step of ['Create an API key', 'Make a request with the key']) {
    await card(page, 'Checklist').getByRole('listitem').filter({ hasText: step }).getByText('done').waitFor()
  }

  await page.reload()
  await request.getByRole('button', { name: 'Create test key' }).waitFor()
  const left = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]))
  expect(left + (await page.content())).not.toContain(key.slice('pb_test_'.length, -4))
})

const PROGRAMS = { curl: ['sh', 'run.sh'], TypeScript: ['node', 'run.ts'], Python: ['python3', 'run.py'] } as const

test('the example code of every language runs with the key in the code and in the environment', async () => {
  const page = await openQuickStart()
  const request = card(page, 'Make a request')
  const { folder } = installSdk()
  async function runAll(env: Record<string, string>): Promise<void> {
    for (const [language, [program, file]] of Object.entries(PROGRAMS)) {
      await request.getByRole('tab', { name: language, exact: true }).click()
      const code = await request.getByRole('tabpanel').locator('pre').first().textContent()
      writeFileSync(join(folder, file), String(code))
      const { stdout } = await run(program, [file], { cwd: folder, env: { ...process.env, ...env } })
      expect([language, stdout]).toEqual([
        language,
        expect.stringMatching(language === 'curl' ? /"status":"valid"/ : /^valid/),
      ])
    }
  }
  const { body } = await (await signUpUser(browser, instance)).sendRequest('POST', '/keys', {
    name: 'Environment',
    livemode: false,
  })
  await runAll({ PROBITY_API_KEY: String(body['key']) })
  await request.getByRole('button', { name: 'Create test key' }).click()
  await request.getByLabel('Quick start').waitFor()
  await runAll({})
})

test('the card of the chosen goal is first, and the URL keeps the goal', async () => {
  const page = await openQuickStart()
  const titles = () => page.locator('main section h2').allTextContents()
  expect((await titles())[0]).toBe('Try it')
  await page.getByRole('radio', { name: 'Validate a list' }).check()
  await vi.waitFor(async () => expect((await titles())[0]).toBe('Validate a list'), SOON)
  await page.reload()
  await vi.waitFor(async () => expect((await titles())[0]).toBe('Validate a list'), SOON)
  await page.getByRole('link', { name: 'Upload list in test mode' }).click()
  await page.waitForURL(/\/app\/lists\/new\?.*mode=test/)
})

test('the checklist can be closed, stays closed and can be shown again', async () => {
  const page = await openQuickStart()
  await page.getByRole('button', { name: 'Close checklist' }).click()
  await page.reload()
  await page.getByRole('button', { name: 'Show checklist' }).click()
  await card(page, 'Checklist').waitFor()
})
