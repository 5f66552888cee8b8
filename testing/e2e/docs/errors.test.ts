import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SESSION_PROBLEMS } from '@probity/contract/constants/data/session-problems'
import type { KeyScope } from '@probity/contract/constants/keys'
import { ALL_PROBLEMS, type AnyProblemCode, problemType } from '@probity/contract/constants/problems'
import { asOwner } from '@probity/database/connection/connect'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { createApiClient, startInstance } from '../environment/instance.ts'
import { ROOT } from '../environment/programs.ts'
import { readBlocks, readPage } from './pages.ts'

const PAGE = 'docs/errors.md'
const text = readPage(PAGE)
const blocks = readBlocks(PAGE)
const codes = Object.keys(ALL_PROBLEMS) as AnyProblemCode[]

/** Problems without a command on the page, with the test that covers them. */
const SHOWN_ELSEWHERE: Partial<Record<AnyProblemCode, string>> = {
  missing_role: 'apps/api/src/middleware/authentication/roles.test.ts',
  two_factor_required: 'apps/api/src/middleware/authentication/operator.test.ts',
  code_required: 'apps/api/src/middleware/authentication/operator.test.ts',
  new_sign_in_required: 'apps/api/src/middleware/authentication/operator.test.ts',
  account_creation_closed: 'apps/api/src/users/account-creation.test.ts',
  live_key_required: 'apps/api/src/accounts/policies/policies.test.ts',
  account_suspended: 'apps/api/src/operators/accounts.test.ts',
  not_configured: 'apps/api/src/billing/billing.test.ts',
  idempotency_in_progress: 'apps/api/src/middleware/idempotency/with-idempotency.test.ts',
  last_owner: 'apps/api/src/users/accounts.test.ts',
  already_subscribed: 'apps/api/src/billing/billing.test.ts',
  too_many_accounts: 'apps/api/src/users/accounts.test.ts',
  too_many_keys: 'apps/api/src/accounts/keys/key-limit.test.ts',
  too_many_uploads: 'apps/api/src/jobs/uploads/share.test.ts',
  too_many_overrides: 'apps/api/src/accounts/overrides/overrides.test.ts',
  ip_lockout: 'apps/api/src/accounts/settings/network.test.ts',
  event_expired: 'apps/api/src/webhooks/deliveries.test.ts',
  file_removed: 'apps/api/src/jobs/results/results.test.ts',
  results_expired: 'apps/api/src/jobs/results/results.test.ts',
  concurrency_limited: 'apps/api/src/validations/single.test.ts',
  queue_limit_reached: 'apps/api/src/jobs/confirm.test.ts',
  job_in_progress: 'apps/api/src/accounts/erasures/erasures.test.ts',
  job_under_review: 'apps/api/src/operators/reviews.test.ts',
  overloaded: 'apps/api/src/server/limits.test.ts',
  account_on_hold: 'apps/api/src/middleware/idempotency/with-idempotency.test.ts',
}

const instance = await startInstance()
const scopes: KeyScope[] = ['validations:write', 'jobs:write', 'account:read', 'keys:write', 'webhooks:write']
const { accountId, key } = await createApiClient(instance, { key: { mode: 'test', scopes } })
const live = await createApiClient(instance, {
  key: { scopes: ['validations:write', 'account:read', 'keys:write', 'account:write'] },
})
const folder = makeFolder('probity-errors')
whenDone(() => removeFolder(folder))

/** The commands of the page with the port and the keys of this test. */
function asHere(commands: string): string {
  return commands
    .replaceAll('http://localhost:3000', instance.api.url)
    .replaceAll('/localhost/3000', `/127.0.0.1/${instance.api.port}`)
    .replaceAll('pb_test_…', key)
    .replaceAll('pb_live_…', live.key)
}

const SETTING_UP = blocks.filter(({ section }) => section === 'Trigger the errors').map((block) => block.text)
const OPERATOR = `probity-admin() { '${ROOT}/bin/probity-admin' "$@"; }`

async function run(commands: string): Promise<string> {
  const script = asHere([OPERATOR, ...SETTING_UP, commands].join('\n'))
  const env = { ...process.env, ...instance.settings }
  const { stdout } = await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', script], {
    cwd: folder,
    env,
    timeout: 60_000,
  })
  return stdout
}

test('the page has one section per code, codes of the API first', () => {
  const sections = [...text.matchAll(/^## `(.*)`$/gm)].map(([, code]) => code)
  expect(sections).toEqual(codes)
  const [, ofWebApp = ''] = text.split('## Codes of the web app')
  expect([...ofWebApp.matchAll(/^## `(.*)`$/gm)].map(([, code]) => code)).toEqual(Object.keys(SESSION_PROBLEMS))
  const others = [...text.matchAll(/^## ([^`].*)$/gm)].map(([, title]) => title)
  expect(others).toEqual(['Response format', 'Trigger the errors', 'Codes of the API', 'Codes of the web app'])
})

test('the overview lists every code with its status', () => {
  const rows = [...text.matchAll(/^\| (\d{3}) \| (.*) \|$/gm)].flatMap(([, status, cells = '']) =>
    [...cells.matchAll(/\[`(\w+)`\]\(#(\w+)\)/g)].map(([, code, anchor]) => ({ code, anchor, status: Number(status) })),
  )
  expect(rows).toEqual(codes.map((code) => ({ code, anchor: code, status: ALL_PROBLEMS[code].status })))
})

test.each(codes)('the section of %s has status, title, cause, fix and retry', (code) => {
  const [, section = ''] = new RegExp(`^## \`${code}\`\n(.*?)(?=^## |$(?![^]))`, 'ms').exec(text) ?? []
  const { status, title } = ALL_PROBLEMS[code]
  expect(section.trimStart().startsWith(`**${status}: ${title}.** `)).toBe(true)
  for (const part of ['Cause', 'Fix', 'Retry']) expect(section).toMatch(new RegExp(`^- \\*\\*${part}:\\*\\* .`, 'm'))
  const isShown = blocks.some((block) => block.section === `\`${code}\``)
  expect(isShown || /^Not available /m.test(section)).toBe(true)
  expect(isShown).toBe(SHOWN_ELSEWHERE[code] === undefined)
})

test.each(Object.entries(SHOWN_ELSEWHERE))('%s, which has no command, is covered by %s', (code, path) => {
  expect(existsSync(join(ROOT, path))).toBe(true)
  const shows = readFileSync(join(ROOT, path), 'utf8')
  expect(shows.includes(code) || shows.includes(code.replaceAll('_', ' '))).toBe(true)
})

const triggers = blocks.flatMap(({ section, text: commands }) => {
  const code = codes.find((candidate) => section === `\`${candidate}\``)
  return code === undefined ? [] : [{ code, commands }]
})

test.each(triggers)('the commands of $code return it', { timeout: 90_000 }, async ({ code, commands }) => {
  const out = await run(commands)
  const answers = out.replaceAll('}{', '}\n{') // one behind the other, as curl leaves them
  const answered = [...answers.matchAll(/\{"type":"[^"]*","title":.*\}/g)].map(([problem]) => JSON.parse(problem))
  expect(answered.length, out.slice(-500)).toBeGreaterThan(0)
  expect(answered.at(-1)).toMatchObject({ code, status: ALL_PROBLEMS[code].status, type: problemType(code) })
  expect(answered.filter((problem) => problem.code !== code)).toEqual([])
})

test('the example response is the actual response', async () => {
  const [command, shown] = blocks.filter(({ section }) => section === 'Response format')
  const answer = JSON.parse(await run(command?.text ?? ''))
  const { request_id, ...rest } = JSON.parse(shown?.text ?? '')
  expect(answer).toEqual({ ...rest, request_id: expect.stringMatching(/^req_[0-9a-f-]{36}$/) })
  expect(request_id).toMatch(/^req_[0-9a-f-]{36}$/)
})

test('the commands charge nothing', async () => {
  const movements = await asOwner(instance.db, (trx) =>
    trx
      .selectFrom('ledger')
      .selectAll()
      .where('accountId', 'in', [accountId, live.accountId])
      .where('kind', '!=', 'grant')
      .execute(),
  )
  expect(movements).toEqual([])
})
