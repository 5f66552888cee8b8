import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SESSION_PROBLEMS } from '@probity/contract/constants/data/session-problems'
import { UpdateAccount } from '@probity/contract/schemas/accounts'
import { CreateKey } from '@probity/contract/schemas/keys'
import { BulkRequest } from '@probity/contract/schemas/validations/bulk'
import { SingleRequest } from '@probity/contract/schemas/validations/single'
import { asOwner } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { expect, test } from 'vitest'
import { ROOT } from '../environment/programs.ts'
import { readPage } from './pages.ts'

const page = readPage('docs/limits.md')
const KIB = 1024
const say = (n: number) => n.toLocaleString('en')

test('the plans equal those of the database', async () => {
  const { db } = await createTestDatabase()
  const plans = await asOwner(db, (trx) => trx.selectFrom('plans').selectAll().execute())
  const yes = (is: boolean) => (is ? 'yes' : 'no')
  const rows = plans.map(
    (plan) =>
      `| \`${plan.name}\` | ${yes(plan.apiAccess)} | ${say((plan.requestsPerWindow * 60) / plan.windowS)} | ${say(plan.interactiveInFlight)} | ${say(plan.emailsPerFile)} | ${yes(plan.refundUnknown)} | ${yes(plan.aiEnhancement)} |`,
  )
  const shown = page.split('\n').filter((line) => /^\| `/.test(line))
  expect(shown.slice(0, rows.length).toSorted()).toEqual(rows.toSorted())
  expect(shown.length).toBe(rows.length + 1) // the header of another table begins with code too
})

/** A row of the page, the file with the number, the name of the constant, and the number as the page shows it. */
type Held = [row: string, file: string, name: string, says: (n: number) => string]

const kib = (n: number) => `${say(n / KIB)} KiB`
const seconds = (n: number) => `${say(n / 1_000)} seconds`

const HELD: Held[] = [
  [
    'a client without a valid key',
    'apps/api/src/middleware/authentication/authenticate.ts',
    'quota',
    (n) => `${n} requests`,
  ],
  [
    'the [public sandbox key]',
    'apps/api/src/middleware/authentication/public-sandbox.ts',
    'REQUESTS_PER_MINUTE',
    (n) => `${n} requests`,
  ],
  ['the [public sandbox key]', 'apps/api/src/feedback/feedback.ts', 'PUBLIC_BODY_BYTES_MAX', kib],
  ['the [public sandbox key]', 'apps/api/src/feedback/feedback.ts', 'PUBLIC_MESSAGES_MAX', (n) => `${n} messages`],
  ['a visitor of a page', 'packages/contract/src/constants/keys.ts', 'VISITOR_CAP_DEFAULT', (n) => `${n} requests`],
  ['length of an address', 'packages/contract/src/constants/limits.ts', 'EMAIL_LENGTH_MAX', say],
  ['addresses in a bulk request', 'packages/contract/src/constants/limits.ts', 'EMAILS_PER_REQUEST_MAX', say],
  ['wait for a single result', 'apps/api/src/validations/single.ts', 'TIMEOUT_DEFAULT_S', (n) => `, ${n} by default`],
  ['wait for a bulk request', 'apps/api/src/validations/bulk.ts', 'TIMEOUT_DEFAULT_S', (n) => `, ${n} by default`],
  [
    'queued addresses of an account',
    'packages/database/src/jobs/jobs.ts',
    'WAITING_FILES_MAX',
    (n) => `| ${n} times the emails`,
  ],
  ['[report links]', 'packages/database/src/jobs/report-links.ts', 'REPORT_LINKS_MAX', (n) => `| ${n}, of`],
  ['[report links]', 'packages/contract/src/constants/limits.ts', 'REPORT_LINK_DAYS_MAX', (n) => `up to ${n} days`],
  ['[report links]', 'packages/contract/src/constants/limits.ts', 'REPORT_LINK_DAYS_DEFAULT', (n) => `${n} by default`],
  ['results of a list whose', 'packages/database/src/jobs/results/compare-results.ts', 'COMPARED_RESULTS_MAX', say],
  [
    'wait for one of the',
    'apps/api/src/middleware/rate-limit/slot-queue.ts',
    'SLOT_WAIT_MS',
    (n) => `| ${seconds(n)}, for`,
  ],
  [
    'wait for one of the',
    'apps/api/src/middleware/rate-limit/slot-queue.ts',
    'WAITING_PER_ACCOUNT_MAX',
    (n) => `up to ${n} requests`,
  ],
  ['headers', 'apps/api/src/http/limits.ts', 'headerBytesMax', kib],
  ['body', 'apps/api/src/http/limits.ts', 'bodyBytesMax', kib],
  ['body of one address', 'apps/api/src/validations/single.ts', 'BODY_BYTES_MAX', kib],
  ['age of a reused result', 'packages/redis/src/cache.ts', 'RECENT_FOR_S', (n) => `${n / 3_600} hours`],
  ['a `reference`', 'packages/contract/src/constants/limits.ts', 'REFERENCE_LENGTH_MAX', (n) => `${n} characters`],
  ['a name of a list', 'packages/contract/src/constants/limits.ts', 'JOB_NAME_LENGTH_MAX', (n) => `${n} characters`],
  ['tags of a list', 'packages/contract/src/constants/limits.ts', 'TAGS_MAX', (n) => `| ${n}, of`],
  ['tags of a list', 'packages/contract/src/constants/limits.ts', 'TAG_LENGTH_MAX', (n) => `up to ${n} characters`],
  ['body of a bulk request', 'apps/api/src/validations/bulk.ts', 'BODY_BYTES_MAX', kib],
  ['body of a message', 'apps/api/src/mcp/mcp.ts', 'BODY_BYTES_MAX', kib],
  ['body of a [report]', 'apps/api/src/feedback/feedback.ts', 'BODY_BYTES_MAX', kib],
  [
    'body of a [report]',
    'packages/contract/src/constants/limits.ts',
    'MESSAGES_PER_REPORT_MAX',
    (n) => `${say(n)} messages`,
  ],
  ['body of a [report]', 'packages/contract/src/constants/limits.ts', 'SENT_DAYS_AGO_MAX', (n) => `${n} days`],
  ['body of a [policy]', 'apps/api/src/accounts/policies/policies.ts', 'POLICY_BYTES_MAX', kib],
  ['time for the headers', 'apps/api/src/http/limits.ts', 'headersTimeoutMs', seconds],
  ['time for a body', 'apps/api/src/http/limits.ts', 'requestTimeoutMs', seconds],
  ['time for a response', 'apps/api/src/http/limits.ts', 'handlerTimeoutMs', seconds],
  ['time for a response', 'apps/api/src/http/limits.ts', 'handlerGraceMs', (n) => `and ${seconds(n)}`],
  ['time without reading', 'apps/api/src/http/limits.ts', 'writeTimeoutMs', seconds],
  ['connections of a network', 'apps/api/src/http/limits.ts', 'connectionsPerNetworkMax', say],
  ['unfinished requests of a network', 'apps/api/src/http/limits.ts', 'unfinishedPerNetworkMax', say],
  ['a page of a list', 'packages/contract/src/constants/limits.ts', 'PAGE_LIMIT_MAX', (n) => `${n}, and`],
  [
    'a page of a list',
    'packages/contract/src/constants/limits.ts',
    'JOB_PAGE_LIMIT_MAX',
    (n) => `${say(n)} for [jobs]`,
  ],
  ['a page of a list', 'apps/api/src/http/page.ts', 'LIMIT_DEFAULT', (n) => `and ${n} by default`],
  ['days of usage', 'packages/contract/src/constants/limits.ts', 'DAYS_MAX', say],
  ['a file', 'packages/contract/src/constants/limits.ts', 'FILE_BYTES_MAX', (n) => `${n / KIB / KIB} MiB`],
  ['rows of a file', 'packages/uploads/src/csv.ts', 'ROWS_MAX', say],
  ['columns of a file', 'packages/uploads/src/csv.ts', 'COLUMNS_MAX', say],
  ['corrected values of an upload', 'packages/contract/src/constants/limits.ts', 'CORRECTIONS_MAX', say],
  ['a row', 'packages/uploads/src/csv.ts', 'RECORD_BYTES_MAX', kib],
  ['a cell', 'packages/uploads/src/csv.ts', 'CELL_BYTES_MAX', kib],
  ['time for a file', 'apps/api/src/http/limits.ts', 'uploadTimeoutMs', seconds],
  ['time for a file', 'apps/api/src/http/limits.ts', 'uploadBytesPerSecondMin', kib],
  ['exports of an account', 'apps/api/src/http/exports/send-export.ts', 'perAccountMax', (n) => `| ${n}, fewer`],
  ['the rate at which an export', 'apps/api/src/http/exports/send-export.ts', 'bytesPerSecondMin', kib],
  ['the rate at which an export', 'apps/api/src/http/exports/send-export.ts', 'graceMs', seconds],
  ['CPU time of reading an', 'apps/api/src/jobs/uploads/reader.ts', 'CPU_MS_MAX[^}]*funded', seconds],
  [
    'CPU time of reading an',
    'apps/api/src/jobs/uploads/reader.ts',
    'CPU_MS_MAX[^}]*other',
    (n) => `${n / 1_000} for an`,
  ],
  ['CPU time of reading files', 'apps/api/src/jobs/uploads/reading-limits.ts', 'FAILED_MS_MAX', seconds],
  [
    'uploads of an account',
    'packages/settings/src/api-settings.ts',
    'UPLOADS_PER_ACCOUNT[^}]*default',
    (n) => `| ${n} and`,
  ],
  [
    'uploads of an account',
    'packages/settings/src/api-settings.ts',
    'UPLOAD_MEGABYTES_PER_ACCOUNT[^}]*default',
    (n) => `${n} MB`,
  ],
  [
    'addresses of one domain per UTC day',
    'packages/settings/src/connection-settings.ts',
    'ABUSE_DOMAIN_ADDRESSES[^}]*default',
    (n) => `| ${n}, and one more`,
  ],
  [
    'event streams of a network',
    'apps/api/src/http/event-stream.ts',
    'perNetwork',
    (n) => `${n} of lists and ${n} of all`,
  ],
  ['event streams of an account', 'apps/api/src/http/event-stream.ts', 'perAccount', (n) => `${n} at once`],
  ['addresses and ranges', 'packages/contract/src/constants/keys.ts', 'IP_ALLOWLIST_MAX', say],
  ['origins of a publishable key', 'packages/contract/src/constants/keys.ts', 'ALLOWED_ORIGINS_MAX', say],
  [
    'keys that are neither revoked',
    'packages/settings/src/api-settings.ts',
    'KEYS_PER_ACCOUNT[^}]*default',
    (n) => `| ${n}, and`,
  ],
  ['policies that a page can name', 'packages/contract/src/constants/keys.ts', 'ALLOWED_POLICIES_MAX', say],
  [
    'credits of a publishable key',
    'packages/contract/src/constants/keys.ts',
    'PUBLISHABLE_MONTHLY_CAP_DEFAULT',
    (n) => `${say(n)} a month`,
  ],
  [
    'requests of all [publishable',
    'apps/api/src/middleware/authentication/publishable-keys.ts',
    'PAGES_RATE[^}]*quota',
    (n) => `${n} a minute`,
  ],
  ['overlap of a rotated key', 'packages/contract/src/constants/keys.ts', 'OVERLAP_S_MAX', (n) => `${say(n)} seconds`],
  [
    'overlap of a rotated key',
    'apps/api/src/accounts/keys/keys.ts',
    'OVERLAP_DEFAULT_S',
    (n) => `${say(n)} by default`,
  ],
  ['custom policies', 'packages/contract/src/constants/policies.ts', 'POLICIES_MAX', (n) => `| ${n}, with`],
  ['custom policies', 'packages/contract/src/constants/policies.ts', 'POLICY_RULES_MAX', (n) => `up to ${n} rules`],
  [
    'entries on the [allow',
    'packages/contract/src/constants/policies.ts',
    'OVERRIDES_MAX',
    (n) => `| ${say(n)} together`,
  ],
  [
    'entries on the [allow',
    'packages/contract/src/constants/policies.ts',
    'OVERRIDES_AT_ONCE_MAX',
    (n) => `${say(n)} in one`,
  ],
  ['webhooks', 'packages/database/src/webhooks/webhooks.ts', 'WEBHOOKS_MAX', (n) => `${n}, live`],
  ['[streams of all', 'packages/database/src/webhooks/event-streams.ts', 'EVENT_STREAMS_MAX', (n) => `${n} at once`],
  ['delivery attempts per event', 'apps/worker/src/webhooks/post.ts', 'DEADLINE_MS', seconds],
  [
    'confirmation of an MCP estimate',
    'packages/contract/src/constants/limits.ts',
    'CONFIRMATION_TTL_S',
    (n) => `${n} seconds`,
  ],
  [
    'sign-in attempts',
    'apps/api/src/middleware/rate-limit/user-limits.ts',
    'password: { perNetwork',
    (n) => `| ${n} per network`,
  ],
  [
    'sign-in attempts',
    'apps/api/src/middleware/rate-limit/user-limits.ts',
    'password: [^}]*perEmailHere',
    (n) => `${n} per network and`,
  ],
  [
    'invitations of an account',
    'apps/api/src/middleware/rate-limit/user-limits.ts',
    'INVITATIONS_PER_DAY = { open',
    (n) => `| ${n} where`,
  ],
  [
    'invitations of an account',
    'apps/api/src/middleware/rate-limit/user-limits.ts',
    'INVITATIONS_PER_DAY = [^}]*invitation',
    (n) => `otherwise ${n}`,
  ],
  ['emails to one', 'packages/email/src/limits.ts', 'PER_KIND: Limit = { quota', (n) => `| ${n} of a kind`],
  ['emails to one', 'packages/email/src/limits.ts', 'other: { quota', (n) => `${n} per day;`],
  ['emails to one', 'packages/email/src/limits.ts', 'reset: { quota', (n) => `${n} per day |`],
  ['a password', 'apps/api/src/users/sign-in/passwords.ts', 'LENGTH_MIN', (n) => `${n} to`],
  ['a password', 'apps/api/src/users/sign-in/passwords.ts', 'PASSWORD_LENGTH_MAX', (n) => `to ${n} characters`],
]

/** The value of a constant, from the sum in its source. */
function numberIn(file: string, name: string): number {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const [, sum = ''] = new RegExp(`\\b${name}(?: = |: )([0-9_ *+]+)`).exec(source) ?? []
  const total = sum
    .replaceAll('_', '')
    .split('+')
    .map((instance) => instance.split('*').reduce((value, factor) => value * Number(factor), 1))
    .reduce((value, part) => value + part, 0)
  expect(total, `${name} in ${file}`).toBeGreaterThan(0)
  return total
}

function rowOf(begins: string): string {
  const found = page.split('\n').filter((line) => line.startsWith(`| ${begins}`))
  const [row = ''] = found.length > 1 ? found.filter((line) => line.startsWith(`| ${begins} |`)) : found
  return row
}

test.each(HELD)('%s: equals the constant in %s, %s', (row, file, name, says) => {
  expect(rowOf(row)).toContain(says(numberIn(file, name)))
})

/** The bounds of a schema as clients see it. */
function boundsOf(schema: object): { minimum: number; maximum: number } {
  const { minimum, maximum } = JSON.parse(JSON.stringify(schema))
  return { minimum, maximum }
}

test('limits from request schemas equal those of the schemas', () => {
  const single = boundsOf(SingleRequest.properties.timeout)
  expect(rowOf('wait for a single result')).toContain(`${single.minimum} to ${single.maximum} seconds`)
  const many = boundsOf(BulkRequest.properties.timeout)
  expect(rowOf('wait for a bulk request')).toContain(`${many.minimum} to ${many.maximum} seconds`)
  const visits = boundsOf(CreateKey.properties.visitor_cap)
  expect(rowOf('a visitor of a page')).toContain(`up to ${say(visits.maximum)}`)
  const days = boundsOf(UpdateAccount.properties.retention_days)
  expect(rowOf('results')).toContain(`${days.minimum} to ${days.maximum} days`)
  expect(SESSION_PROBLEMS.too_many_accounts.detail).toContain('own 20 accounts.')
  expect(rowOf('accounts that a user owns')).toContain('| 20 |')
})

test('every row of the page is checked by a test', () => {
  const HELD_ELSEWHERE = [
    'limits of a key that a key creates', // apps/api/src/accounts/keys/key-bounds.test.ts
    ...['`Idempotency-Key`', 'an upload that was not', 'the file of a list'], // tested by docs-errors.test.ts
    ...['results', 'accounts that a user owns', 'item', 'client', 'plan', '---', '`'],
  ]
  const rows = page.split('\n').filter((line) => line.startsWith('|'))
  const known = [...HELD.map(([row]) => row), ...HELD_ELSEWHERE]
  const unheld = rows.filter((line) => !known.some((row) => line.startsWith(`| ${row}`) || line.startsWith(`|${row}`)))
  expect(unheld).toEqual([])
})
