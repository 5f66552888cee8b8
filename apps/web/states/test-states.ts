import '../src/styles.css'
import { describe, expect, test, vi } from 'vitest'
import { startApp } from '../src/app.tsx'
import { listContrastViolations, listViolations } from './test-accessibility.ts'
import { type Api, mockFetch, NO_RESPONSE, problem, type Route } from './test-api.ts'
import { OWNER } from './test-member.ts'

/** A page in one of the states that it can be in. */
export type State = {
  name: string
  /** The path below /app. */
  path: string
  /** The responses to this user, by default to the owner of an account with data of every kind. */
  as?: Api
  /** The responses in which the state differs. */
  api?: Api
  /** What the user does before the page is tested. */
  act?(): Promise<unknown>
  /** An error that the state causes in the console. */
  logs?: RegExp
} & Sign

/** What proves that the page is in this state: a text that it shows, or an element that it contains. */
type Sign = { shows: string } | { has: string }

const PATIENCE = { timeout: 10_000, interval: 10 }

/**
 * Every state of a page has one heading, a title and no accessibility violation, and causes no error. States with content or an action
 * can be read at a width of 320 pixels and at a zoom of 200 %.
 */
export function testStates(subject: string, states: State[]): void {
  describe(`${subject}`, () => {
    test.each(states)('$name', async (state) => {
      const complaints: string[] = []
      const close = openState(state, (complaint) => complaints.push(complaint))
      try {
        await vi.waitFor(() => expect(document.querySelector('h1')).not.toBeNull(), PATIENCE)
        await state.act?.()
        await vi.waitFor(() => expectSign(state), PATIENCE)
        await expectGoodPage()
        if (state.act !== undefined || 'shows' in state) await expectGoodSmallPage({ isFirst: state === states[0] })
      } finally {
        close()
      }
      expect(complaints.filter((complaint) => !state.logs?.test(complaint))).toEqual([])
    })
  })
}

async function expectGoodPage(): Promise<void> {
  expect(document.querySelectorAll('h1').length).toBe(1)
  expect(document.title).toMatch(/^.+ · Probity$/)
  expect(await listViolations()).toEqual([])
  expect(await listContrastViolations()).toEqual([])
}

/** Menus and tables differ on phones, so their rules are tested once for each page. */
async function expectGoodSmallPage({ isFirst }: { isFirst: boolean }): Promise<void> {
  await expectFits(640, 400) // a window of 1280 by 800 pixels at a zoom of 200 %
  await expectFits(320, 640)
  if (isFirst) expect(await listViolations()).toEqual([])
}

async function expectFits(width: number, height: number): Promise<void> {
  resize(width, height)
  await vi.waitFor(() => expect(listOverflows(), `${width} by ${height} pixels`).toEqual([]), PATIENCE)
}

/** The tests run in a frame of the test runner. Its own command for this takes a round trip to the browser. */
export function resize(width: number, height: number): void {
  const frame = window.frameElement as HTMLIFrameElement
  Object.assign(frame.style, { width: `${width}px`, height: `${height}px` })
}

/** The page if it is wider than the window, and open menus and dialogs that are partly outside of it. */
function listOverflows(): string[] {
  const { scrollWidth, clientWidth, clientHeight } = document.documentElement
  const outside = [...document.querySelectorAll('[role="menu"], [role="dialog"], [role="alertdialog"]')].filter(
    (element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect()
      return left < 0 || right > clientWidth || top < 0 || bottom > clientHeight
    },
  )
  return [
    ...(scrollWidth > clientWidth ? [`the page is ${scrollWidth - clientWidth} pixels wider`] : []),
    ...outside.map((element) => `outside: ${element.outerHTML.slice(0, 200)}`),
  ]
}

function openState({ path, as = OWNER, api }: State, complain: (complaint: string) => void): () => void {
  localStorage.clear()
  resize(1280, 720)
  document.title = ''
  window.history.replaceState(null, '', `/app${path}`)
  const restore = mockFetch({ ...as, ...api }, complain)
  const log = vi.spyOn(console, 'error').mockImplementation((...texts) => complain(texts.join(' ')))
  const element = document.createElement('div')
  document.body.replaceChildren(element)
  const stop = startApp(element)
  return () => {
    stop()
    restore()
    log.mockRestore()
  }
}

function expectSign(state: Sign): void {
  if ('has' in state) {
    expect(document.querySelector(state.has)).not.toBeNull()
    return
  }
  expect(document.querySelector('.skeleton, [aria-busy="true"]')).toBeNull()
  // biome-ignore lint/performance/useDomNodeTextContent: a hidden text, as of a closed menu, proves nothing
  expect(document.body.innerText).toContain(state.shows)
}

type Loaded = { path: string; as?: Api; route: Route }

/** The states of a page before this response arrives, and if it is a problem. */
export function whileLoading({ route, ...state }: Loaded): State[] {
  return [
    { ...state, name: `${route} without a response`, api: { [route]: NO_RESPONSE }, has: '.skeleton' },
    { ...state, name: `${route} fails`, api: { [route]: problem('ip_not_allowed') }, has: '[role="alert"]' },
  ]
}
