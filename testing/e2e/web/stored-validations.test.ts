import { expect, test } from 'vitest'
import { loaded, onePage, startBrowser } from '../browser/browser.ts'
import { testCases } from '../browser/page-states.ts'
import { signUpUser } from '../browser/users.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'

const instance = await useSharedInstance()
const browser = await startBrowser()
const owner = await signUpUser(browser, instance)
const viewer = await signUpUser(browser, instance, { name: 'Grace Hopper', invitedBy: owner, role: 'viewer' })
const colleague = await signUpUser(browser, instance, { name: 'Mary Shelley', invitedBy: owner, role: 'marketer' })
const otherUser = await signUpUser(browser, instance, { name: 'Alan Turing', organisation: 'Bletchley' })

// A domain with null MX gives a verdict at once.
const asked = await owner.sendRequest('POST', '/validation/single', { email: 'ada@null-mx.example' })
const path = `/app/validate/${asked.body['id']}`

test('a result has a link that shows other members the same result free of charge and does not contain the address', async () => {
  const page = await onePage(owner.context)
  await page.goto('/app/validate')
  await page.getByLabel('Email address').fill('grace@null-mx.example')
  await page.getByRole('button', { name: 'Validate' }).click()
  await page.getByRole('link', { name: 'Link to this result' }).click()
  await page.getByRole('heading', { name: 'Validation result', level: 1 }).waitFor()
  await page.getByText('grace@null-mx.example').first().waitFor()
  expect(page.url()).toMatch(/\/app\/validate\/[0-9a-f-]{36}$/)

  const spent = async () => ((await owner.sendRequest('GET', '/account')).body['credits'] as { used: number }).used
  const before = await spent()
  const same = await onePage(colleague.context)
  await same.goto(page.url())
  await same.getByText('declares that it does not accept mail').first().waitFor()
  await same.getByRole('heading', { name: 'Evidence' }).waitFor()
  expect(await spent()).toBe(before)
})

test('a viewer and a member of another account cannot see the result', async () => {
  const looking = await onePage(viewer.context)
  await looking.goto(path)
  await looking.getByText('You cannot view validations').waitFor()
  const elsewhere = await onePage(otherUser.context)
  await elsewhere.goto(path)
  await loaded(elsewhere)
  await elsewhere.getByRole('heading', { name: 'Not found' }).waitFor()
  expect(await elsewhere.getByText('ada@').count()).toBe(0)
})

test('recent validations are listed after a reload, without an address in the browser, and can be validated again', async () => {
  const page = await onePage(owner.context)
  await page.goto('/app/validate')
  await page.getByLabel('Email address').fill('joan@null-mx.example')
  await page.getByRole('button', { name: 'Validate', exact: true }).click()
  const again = page.getByRole('button', { name: 'Validate joan@null-mx.example again' })
  await again.waitFor()
  await page.reload()
  await again.waitFor()
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
  expect(kept).not.toContain('null-mx.example')
  const asked = page.waitForRequest((request) => request.url().endsWith('/validation/single'))
  await again.click()
  expect((await asked).postDataJSON()).toMatchObject({ email: 'joan@null-mx.example', max_age_s: 0 })
  await page.getByRole('heading', { name: 'Evidence' }).waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.reload()
  await page.getByText('No recent validations.').waitFor()
})

test('pasted addresses become a list', async () => {
  const page = await onePage(owner.context)
  await page.goto('/app/validate')
  await page.getByLabel('Email address').focus()
  await page.getByLabel('Email address').evaluate((field) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'Ada <ada@null-mx.example>\ngrace@null-mx.example\njoan@null-mx.example')
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })
  await page.getByText('3 addresses pasted').waitFor()
  await page.getByRole('button', { name: 'Create a list of 3' }).click()
  await page.getByRole('heading', { name: 'Review and confirm' }).waitFor()
  await page.getByText('3 credits').first().waitFor()
})

test('no result is stored and no link is shown in test mode', async () => {
  const page = await onePage(owner.context)
  await page.goto('/app/validate?mode=test')
  await page.getByRole('button', { name: 'valid', exact: true }).click()
  await page.getByRole('heading', { name: 'Evidence' }).waitFor()
  expect(await page.getByRole('link', { name: 'Link to this result' }).count()).toBe(0)
})

testCases([{ what: 'a validation', as: owner.context, path }])
