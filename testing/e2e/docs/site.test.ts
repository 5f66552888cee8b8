import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ALL_PROBLEMS } from '@probity/contract/constants/problems'
import { waitForBuild } from '@probity/lab/build'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { expectAccessible } from '../browser/accessibility.ts'
import { loaded, onePage, openWindow, startBrowser } from '../browser/browser.ts'
import { testCases } from '../browser/page-states.ts'
import { signUpUser } from '../browser/users.ts'
import { ROOT } from '../environment/programs.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'

await waitForBuild('docs')
const { api } = await useSharedInstance()
const browser = await startBrowser()
const reader = await openWindow(browser, { api })

/** `docs/x/y.md` is `/docs/x/y`; other pages link to these URLs. */
const PAGES = [
  'changelog',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(
      (path) =>
        path.endsWith('.md') && !/^(decisions|screenshots)\/|^(benchmarks|database|dependencies)\.md$/.test(path),
    )
    .map((path) => path.replace(/\.md$/, '')),
]

const ALL = ['/docs', ...PAGES.map((id) => `/docs/${id}`)]
const copyOf = (address: string) => (address === '/docs' ? '/docs/index.md' : `${address}.md`)

async function sendRequest(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(api.url + path, { headers, redirect: 'manual' })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const texts = new Map<string, string>()
for (const address of ALL) texts.set(address, (await sendRequest(address)).text)

test('every page has a Markdown copy and is listed once in llms.txt', async () => {
  const { text: list, headers } = await sendRequest('/llms.txt')
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
  const named = [...list.matchAll(/^- \[[^\]]+\]\((?<href>[^)]+)\): \S.*$/gm)].map(({ groups }) => groups?.['href'])
  expect(named.length).toBe(PAGES.length)
  expect(new Set(named)).toEqual(new Set(PAGES.map((id) => `/docs/${id}.md`)))

  const { text: everything } = await sendRequest('/llms-full.txt')
  for (const [address, html] of texts) {
    const { status, text, headers } = await sendRequest(copyOf(address))
    expect(status, address).toBe(200)
    expect(headers.get('content-type'), address).toMatch(/^text\/markdown/)
    expect(text, address).toMatch(/^# .+\n\n\S/)
    expect(`${text}${html}`, address).not.toContain('<!-- test:')
    expect(everything, address).toContain(text.slice(text.indexOf('\n\n')).trim())
    expect(html, address).toContain(`<link rel="alternate" type="text/markdown" href="${copyOf(address)}"`)
    expect(html, address).toContain(`<a href="${copyOf(address)}" data-pagefind-ignore>View as Markdown</a>`)
  }
})

/** Links of a page or of its Markdown copy. */
function listLinks(text: string): string[] {
  const found = text.startsWith('<!DOCTYPE html>')
    ? text.matchAll(/<a(?:\s+[^\s"=>]+(?:="[^"]*")?)*?\s+href="([^"]*)"/g)
    : text.replaceAll(/^```[\s\S]*?^```$|`[^`\n]*`/gm, '').matchAll(/\]\(([^)\s]+)\)/g)
  return [...found].map(([, href = '']) => href.replaceAll('&amp;', '&'))
}

test('no link is dead', async () => {
  const sources = new Map(texts)
  sources.set('/docs/no-such-page', (await sendRequest('/docs/no-such-page')).text)
  for (const address of [...ALL.map(copyOf), '/llms.txt']) sources.set(address, (await sendRequest(address)).text)
  const answers = new Map<string, { status: number; text: string }>()
  const dead: string[] = []
  let followed = 0
  for (const [address, text] of sources) {
    for (const href of listLinks(text)) {
      if (href.startsWith('#') && text.includes(` id="${href.slice(1)}"`)) continue
      const { origin, pathname, hash } = new URL(href, api.url + address)
      if (origin !== api.url) {
        if (!/^(https:|mailto:)/.test(href)) dead.push(`${address} → ${href} (not a public link)`)
        continue
      }
      followed += 1
      const answer = answers.get(pathname) ?? (await sendRequest(pathname))
      answers.set(pathname, answer)
      const page = texts.get(pathname.replace(/\.md$/, '')) ?? answer.text
      const anchor = decodeURIComponent(hash.slice(1))
      // The API reference redirects to its URL with a slash.
      if (answer.status !== 200 && pathname !== '/docs/api') dead.push(`${address} → ${href} (${answer.status})`)
      else if (anchor !== '' && !page.includes(` id="${anchor}"`)) dead.push(`${address} → ${href} (no such anchor)`)
    }
  }
  expect(dead).toEqual([])
  expect(followed).toBeGreaterThan(ALL.length * ALL.length) // the sidebar of every page links to all pages
})

test('pages load only files of the site, which are compressed and cached', async () => {
  for (const [address, html] of texts) {
    const { headers } = await sendRequest(address)
    const policy = headers.get('content-security-policy')
    expect(policy, address).toMatch(/^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';/)
    expect(policy, address).not.toContain('unsafe-inline')
    expect(html, address).not.toMatch(/ style="|<style/)
    expect(html, address).not.toMatch(/<(script|link|img)[^>]+(src|href)="(https?:)?\/\//)
  }
  const [asset = ''] = /\/docs\/_astro\/[^"]+\.css/.exec(texts.get('/docs') ?? '') ?? []
  const sheet = await sendRequest(asset, { 'accept-encoding': 'br' })
  expect(sheet.headers.get('content-encoding')).toBe('br')
  expect(sheet.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  const page = await sendRequest('/docs/webhooks', { 'accept-encoding': 'br' })
  expect(page.headers.get('content-encoding')).toBe('br')
  expect(page.headers.get('cache-control')).toBe('no-cache')
})

test('a page has one URL, and the 404 page offers the search', async () => {
  for (const [given, meant] of [
    ['/docs/', '/docs'],
    ['/docs/webhooks/', '/docs/webhooks'],
  ] as const) {
    const { status, headers } = await sendRequest(given)
    expect([status, headers.get('location')], given).toEqual([301, meant])
  }
  for (const path of [
    '/docs//',
    '/docs/%2e%2e/package.json',
    '/docs/..%2fpackage.json',
    '/docs/.astro',
    '/docs/guides',
    '/docs/nothing.md',
  ]) {
    expect((await sendRequest(path)).status, path).toBe(404)
  }
  const page = await onePage(reader, { allows: /status of 404/ })
  const answer = await page.goto('/docs/no-such-page')
  expect(answer?.status()).toBe(404)
  await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor()
  await expectAccessible(page)
  await search(page, 'webhooks')
  await page.getByRole('dialog').getByRole('link', { name: 'Webhooks', exact: true }).first().click()
  await page.waitForURL(/\/docs\/webhooks/)
})

async function search(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k')
  const field = page.getByRole('dialog').getByRole('textbox')
  await field.fill(words)
}

test('keyboard users skip to the content, open the search and open a result', async () => {
  const page = await onePage(reader)
  await page.goto('/docs')
  await loaded(page)
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content')

  await page.locator('#starlight__search input').waitFor({ state: 'attached' })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('retry webhook delivery')
  const results = page.getByRole('dialog').getByRole('link')
  await results.filter({ hasText: 'Webhooks' }).first().waitFor()
  await vi.waitFor(async () => expect(await page.locator('.pagefind-ui__loading').count()).toBe(0), 15_000)
  await expectAccessible(page)
  const wanted = () =>
    page.evaluate(() => document.activeElement?.getAttribute('href')?.startsWith('/docs/webhooks') ?? false)
  for (let presses = 0; presses < 20 && !(await wanted()); presses += 1) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/docs\/webhooks/)
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
})

test('the search finds every problem code in docs/errors', async () => {
  const page = await onePage(reader)
  await page.goto('/docs')
  const index = await page.evaluateHandle<Index>("import('/docs/pagefind/pagefind.js')")
  const found = await index.evaluate(findInIndex, Object.keys(ALL_PROBLEMS))
  expect(found.length).toBeGreaterThan(5)
  const missed = found.filter(({ word, addresses }) => !addresses.includes(`/docs/errors/#${word}`))
  expect(missed).toEqual([])
}, 300_000)

/** Words that readers search for, and the page that explains each. */
const FIRST: [words: string, page: string][] = [
  ['authentication', 'authentication'],
  ['pagination', 'api-conventions'],
  ['rate limit', 'api-conventions'],
  ['idempotency', 'api-conventions'],
  ['reverse proxy', 'reverse-proxy'],
  ['load balancer', 'reverse-proxy'],
  ['GDPR', 'privacy'],
  ['retention', 'retention'],
  ['webhook signature', 'webhooks'],
  ['p95', 'metrics'],
  ['egress', 'deliverability-setup'],
  ['HELO', 'deliverability-setup'],
  ['PTR', 'deliverability-setup'],
  ['warm-up', 'deliverability-setup'],
  ['port 25', 'deliverability-setup'],
  ['blocked', 'deliverability-setup'],
  ['greylisting', 'concepts/greylisting'],
  ['catch-all', 'concepts/catch-all'],
  ['refund', 'concepts/credits'],
  ['ledger', 'concepts/credits'],
  ['backup', 'backups'],
  ['upgrade', 'upgrading'],
  ['Kubernetes', 'kubernetes'],
  ['Docker', 'docker'],
]

test('the first search result is the page that explains the words', { tags: ['long'], timeout: 120_000 }, async () => {
  const page = await onePage(reader)
  await page.goto('/docs')
  await loaded(page)
  await page.locator('#starlight__search input').waitFor({ state: 'attached' })
  await page.keyboard.press('Control+k')
  const found: [words: string, page: string | null][] = []
  for (const [words] of FIRST) {
    await page.getByRole('dialog').getByRole('textbox').fill(words)
    await page.getByText(new RegExp(`^\\d+ results? for ${words}$`)).waitFor()
    // The link appears when the page of the result is loaded: that of a later result may be there first.
    const first = page.locator('.pagefind-ui__result').first().locator('.pagefind-ui__result-link').first()
    const href = await first.getAttribute('href')
    found.push([words, href?.replace(/^\/docs\//, '').replace(/\/?(#.*)?$/, '') ?? null])
  }
  expect(found).toEqual(FIRST)
})

type Index = {
  search(word: string): Promise<{ results: { data(): Promise<{ sub_results: { url: string }[] }> }[] }>
}

/** Searches the index of the search field, without its typing delay. It shows the first results, without the last slash of their URLs. */
async function findInIndex(index: Index, words: string[]) {
  const found: { word: string; addresses: string[] }[] = []
  for (const word of words) {
    const { results } = await index.search(word)
    const shown = await Promise.all(results.slice(0, 5).map((result) => result.data()))
    found.push({ word, addresses: shown.flatMap((page) => page.sub_results.map(({ url }) => url)) })
  }
  return found
}

test('commands are shown and copied with the URL of this installation', async () => {
  const page = await onePage(reader)
  const address = ALL.find((one) => /<pre[^>]*>.*?localhost:3000/.test(texts.get(one) ?? '')) ?? ''
  await page.goto(address)
  await loaded(page)
  const block = page.locator('figure', { hasText: api.url }).first()
  await block.hover()
  // The confirmation is shown for two seconds, which can be over before a slow click returns.
  const said = page.getByText('Copied!').waitFor()
  await Promise.all([said, block.getByRole('button', { name: 'Copy to clipboard' }).click()])
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toContain(api.url)
  expect(copied).not.toContain('localhost:3000')
  expect((await page.locator('pre').allInnerTexts()).join('\n')).not.toContain('localhost:3000')
})

test('the application links to the docs from its help and from errors', async () => {
  const person = await signUpUser(browser, { api })
  const page = await onePage(person.context, { allows: /status of 503|RequestFailed/ })
  await page.goto('/app/keys')
  await loaded(page)
  await page.getByRole('button', { name: 'Help' }).click()
  await page.getByRole('menuitem', { name: 'Docs' }).click()
  await page.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Application' }).first().click()
  await page.waitForURL(/\/app\//)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Docs' }).click()
  await page.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor()

  const { body: refused } = await person.sendRequest('GET', '/keys/no-such-key')
  const failure = { status: 503, contentType: 'application/problem+json', body: JSON.stringify(refused) }
  await page.route('**/app/api/keys*', (route) => route.fulfill(failure))
  await page.goto('/app/keys')
  const explained = page.getByRole('alert').getByRole('link', { name: 'Error documentation' })
  expect(await explained.getAttribute('href')).toBe(`/docs/errors#${refused['code']}`)
})

test('the selected theme is kept from page to page', async () => {
  const page = await onePage(reader, { colorScheme: 'light' })
  await page.goto('/docs')
  await page.getByLabel('Select theme').first().selectOption('dark')
  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
  await page.waitForURL(/\/docs\/webhooks/)
  expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
  await page.getByLabel('Select theme').first().selectOption('auto')
})

testCases(
  ALL.map((path) => ({
    what: `the page at ${path}`,
    as: reader,
    path,
    isNarrowAs: path === '/docs' ? undefined : '/docs',
  })),
)
