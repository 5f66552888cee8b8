import { JobComparison } from '@probity/contract/schemas/jobs/comparison'
import { ReportLinkWithUrl } from '@probity/contract/schemas/jobs/reports'
import { AddedOverrides } from '@probity/contract/schemas/overrides'
import { expect, vi } from 'vitest'
import { page } from 'vitest/browser'
import { choose, click, clickOn, fill, hitInDrawer, inOrder, openTab, press } from './test-actions.ts'
import { NO_RESPONSE, problem } from './test-api.ts'
import { exampleOf } from './test-examples.ts'
import {
  EARLIER_JOB,
  FINISHED_JOB,
  MALFORMED_PREVIEW,
  MERGED_JOB,
  MERGING_JOB,
  MESSY_BREAKDOWN,
  MESSY_JOB,
  MESSY_PREVIEW,
  PARTLY_LASTING_JOB,
  PAUSED_JOB,
  PREVIEW,
  QUEUED_JOB,
  REPEATED_PREVIEW,
  REPORT,
  RERUN_ID,
  RERUNNING_JOB,
  RETRYING_JOB,
  RUNNING_JOB,
  WORKBOOK_PREVIEW,
} from './test-jobs.ts'
import { BEGINNER, VIEWER } from './test-member.ts'
import { resize, testStates, whileLoading } from './test-states.ts'
import { sessionOf } from './test-users.ts'

const DIALOG = '[role="dialog"], [role="alertdialog"]'

testStates('lists', [
  {
    name: 'with addresses that wait',
    path: '/lists',
    api: { 'GET /bulk/jobs': [RETRYING_JOB] },
    shows: '312 addresses wait for greylisting servers, at the latest ',
  },
  {
    name: 'without a worker',
    path: '/lists',
    api: { 'GET /bulk/jobs': [{ ...QUEUED_JOB, delay_reason: 'no_worker' }] },
    shows: 'Waiting for a worker',
  },
  { name: 'with lists and drafts', path: '/lists', shows: 'customers.csv' },
  { name: 'none', as: BEGINNER, path: '/lists', shows: 'No lists yet' },
  {
    name: 'none, as a viewer',
    as: { ...BEGINNER, 'GET /session': sessionOf('viewer') },
    path: '/lists',
    shows: 'No lists yet',
  },
  { name: 'as a viewer', as: VIEWER, path: '/lists', shows: 'read-only access' },
  { name: 'filters without matches', as: BEGINNER, path: '/lists?search=other', shows: 'No lists match these filters' },
  {
    name: 'drafts fail',
    path: '/lists',
    api: { 'GET /bulk/uploads': problem('ip_not_allowed') },
    shows: 'Drafts could not be loaded',
  },
  { name: 'with a tag', path: '/lists?tag=europe', shows: 'Tag: europe' },
  { name: 'draft to discard', path: '/lists', act: press(/^Discard/), has: DIALOG },
  ...whileLoading({ path: '/lists', route: 'GET /bulk/jobs' }),
])

const UPLOAD = `upload=${PREVIEW.id}`
const REVIEW = `/lists/new?${UPLOAD}&column=E-mail`
const MESSY = { 'GET /bulk/uploads/:upload': MESSY_PREVIEW }
const showValues = () => click(page.getByText('Show the values'))

/** The review in which a button accepts suggestions, of which so many are left. */
function accepting(button: string, left: number) {
  const next = { ...MESSY_PREVIEW, upload_id: '0198f2d0-1c44-7e6f-a5b3-7d20c8914e6b', suggestion_count: left }
  return { path: REVIEW, api: { ...MESSY, 'POST /bulk/uploads/:upload/corrections': next }, act: press(button) }
}

testStates('new list', [
  { name: 'file', path: '/lists/new', has: 'main input[type="file"]' },
  { name: 'as a viewer', as: VIEWER, path: '/lists/new', shows: 'You cannot create lists' },
  { name: 'column', path: `/lists/new?${UPLOAD}`, shows: 'Choose the email column' },
  { name: 'review', path: `/lists/new?${UPLOAD}&column=email`, shows: 'Mailbox providers' },
  {
    name: 'review of a messy file',
    path: REVIEW,
    api: MESSY,
    shows:
      '2,000 lines and 18 second addresses: 40 blank, 57 without an address, 12 malformed, 247 duplicates, 1,662 to validate.',
  },
  { name: 'review, with repaired addresses', path: REVIEW, api: MESSY, shows: '78 addresses were repaired.' },
  { name: 'review, with an invisible character', path: REVIEW, api: MESSY, shows: 'U+200B' },
  {
    name: 'review, with the numbers of the sum',
    path: REVIEW,
    api: MESSY,
    shows: '57 cells without an address (20 are empty) and 12 malformed values are left out',
  },
  { name: 'review, with suggestions', path: REVIEW, api: MESSY, shows: '12 domains look mistyped.' },
  { name: 'review, all suggestions accepted', ...accepting('Accept all 12', 0), shows: '12 domains corrected.' },
  {
    name: 'review, one suggestion accepted',
    ...accepting('Accept dana.weiss@gmail.com', 11),
    shows: 'Accept all 11',
  },
  {
    name: 'review, a suggestion that cannot be accepted',
    path: REVIEW,
    api: { ...MESSY, 'POST /bulk/uploads/:upload/corrections': problem('ip_not_allowed') },
    act: press('Accept all 12'),
    shows: 'The suggestion could not be accepted',
  },
  {
    name: 'review, suggestions fail',
    path: REVIEW,
    api: { ...MESSY, 'GET /bulk/uploads/:upload/suggestions': problem('ip_not_allowed') },
    shows: 'The suggestions could not be loaded',
  },
  {
    name: 'review, values that are left out',
    path: REVIEW,
    api: MESSY,
    act: showValues,
    shows: 'Download these values',
  },
  {
    name: 'review, a value to correct',
    path: REVIEW,
    api: MESSY,
    act: inOrder(showValues, press('Correct row 31'), fill('Correct address of row 31', 'ada@example.com')),
    shows: 'Save 1 correction',
  },
  {
    name: 'review, malformed values and first addresses validated',
    path: `${REVIEW}&several=first&malformed=validate`,
    api: { ...MESSY, 'GET /bulk/uploads/:upload': MALFORMED_PREVIEW },
    shows: '12 malformed values are validated.',
  },
  {
    name: 'column of a workbook',
    path: `/lists/new?${UPLOAD}`,
    api: { 'GET /bulk/uploads/:upload': WORKBOOK_PREVIEW },
    shows: 'The workbook has 2 sheets.',
  },
  {
    name: 'column below a title',
    path: `/lists/new?${UPLOAD}`,
    api: MESSY,
    shows: 'Left out above it: row 1 “Contacts export 2026”, row 2 “as of 2 November”.',
  },
  {
    name: 'column of a file without a header',
    path: `/lists/new?${UPLOAD}`,
    api: { 'GET /bulk/uploads/:upload': { ...MESSY_PREVIEW, has_header: false, header_row: null } },
    shows: 'All rows are part of the list.',
  },
  {
    name: 'column below a header beyond the first rows',
    path: `/lists/new?${UPLOAD}`,
    api: { 'GET /bulk/uploads/:upload': { ...MESSY_PREVIEW, header_row: 1_200 } },
    shows: 'header in row 1,200',
  },
  {
    name: 'column of a file that was validated before',
    path: `/lists/new?${UPLOAD}`,
    api: { 'GET /bulk/uploads/:upload': REPEATED_PREVIEW },
    shows: 'You validated the same file before.',
  },
  {
    name: 'review with too few credits',
    path: `/lists/new?${UPLOAD}&column=email`,
    api: { 'GET /bulk/uploads/:upload': { ...PREVIEW, credits: { quote: 9_972, available: 40, unlimited: false } } },
    shows: 'Insufficient credits',
  },
  {
    name: 'column without addresses',
    path: `/lists/new?${UPLOAD}&column=name`,
    api: { 'GET /bulk/uploads/:upload': problem('column_without_emails') },
    has: 'main a, main button',
  },
  {
    name: 'draft not found',
    path: `/lists/new?${UPLOAD}`,
    api: { 'GET /bulk/uploads/:upload': problem('not_found') },
    shows: 'Draft not found',
  },
  ...whileLoading({ path: `/lists/new?${UPLOAD}`, route: 'GET /bulk/uploads/:upload' }),
])

const LIST = `/lists/${FINISHED_JOB.id}`
const RUNNING = { 'GET /bulk/jobs/:job': RUNNING_JOB, 'GET /bulk/jobs/:job/events': NO_RESPONSE }
const selectAll = () => click(page.getByLabelText('Select all results on this page'))
/** The bar at the bottom of a phone covers the last part of its screen. */
const [PHONE_HEIGHT, BAR_HEIGHT] = [844, 60]
const onPhone = async () => resize(390, PHONE_HEIGHT)
/** Shows the first result on the first screen, and no filter. */
async function seeFirstResult() {
  await onPhone()
  await vi.waitFor(() => {
    const [first] = document.querySelectorAll('#results a[href*="row="]')
    expect(first?.getBoundingClientRect().bottom).toBeLessThan(PHONE_HEIGHT - BAR_HEIGHT)
    expect(document.querySelector('#results form')?.checkVisibility()).toBe(false)
  })
}
const job = (state: typeof RUNNING_JOB) => ({ ...RUNNING, 'GET /bulk/jobs/:job': state })
const MESSY_LIST = { ...job(MESSY_JOB), 'GET /bulk/jobs/:job/breakdown': MESSY_BREAKDOWN }

testStates('list', [
  { name: 'completed', path: LIST, shows: 'Addresses to keep' },
  {
    name: 'completed, with all lines of a messy file',
    path: LIST,
    api: MESSY_LIST,
    shows:
      '2,000 lines and 18 second addresses: 40 blank, 57 without an address, 12 malformed, 247 duplicates, 1,662 validated.',
  },
  {
    name: 'completed, with values that were not validated',
    path: LIST,
    api: MESSY_LIST,
    shows: 'Download 69 not validated',
  },
  { name: 'results', path: `${LIST}?tab=results`, shows: 'Recommendation' },
  { name: 'completed, with its cost', path: LIST, shows: '9,845 credits charged, 155 refunded for unknown results.' },
  {
    name: 'results on a phone, without filters',
    path: `${LIST}?tab=results&status=valid&provider=google`,
    act: seeFirstResult,
    shows: 'Filter (2)',
  },
  {
    name: 'results on a phone, with the filters open',
    path: `${LIST}?tab=results`,
    act: inOrder(onPhone, press('Filter')),
    shows: 'Address contains',
  },
  { name: 'breakdown', path: `${LIST}?tab=breakdown`, shows: 'By domain' },
  { name: 'results sorted by deliverability', path: `${LIST}?sort=-deliverability`, has: 'th[aria-sort="descending"]' },
  {
    name: 'results sorted by a column',
    path: `${LIST}?tab=results`,
    act: press('Deliverability'),
    has: 'th[aria-sort="ascending"] button',
  },
  {
    name: 'results of a typed filter',
    path: `${LIST}?tab=results`,
    act: fill('Address contains', 'ada'),
    shows: '4 of 10,000 addresses found.',
  },
  { name: 'selected results', path: `${LIST}?tab=results`, act: selectAll, shows: '4 results selected' },
  {
    name: 'selected results, as a viewer',
    as: VIEWER,
    path: `${LIST}?tab=results`,
    act: selectAll,
    shows: 'Clear selection',
  },
  {
    name: 'selected results to block',
    path: `${LIST}?tab=results`,
    api: { 'POST /overrides': exampleOf(AddedOverrides) },
    act: inOrder(selectAll, press('Block')),
    shows: '4 addresses blocked.',
  },
  {
    name: 'selected results that cannot be allowed',
    path: `${LIST}?tab=results`,
    api: { 'POST /overrides': problem('ip_not_allowed') },
    act: inOrder(selectAll, press('Allow')),
    shows: 'The addresses could not be added.',
  },
  {
    name: 'selected results to validate again',
    path: `${LIST}?tab=results`,
    api: { 'POST /bulk/upload/preview': PREVIEW },
    act: inOrder(selectAll, press('Validate again')),
    shows: 'Review and confirm',
  },
  { name: 'tab from the keyboard', path: LIST, act: openTab('Breakdown'), shows: 'By provider' },
  {
    name: 'results of a slice of the chart',
    path: LIST,
    act: clickOn('figure circle:last-of-type'),
    shows: '4 of 10,000 addresses found.',
  },
  {
    name: 'results of a part of a bar',
    path: `${LIST}?tab=breakdown`,
    act: clickOn('[title="Show risky results"]'),
    shows: '4 of 10,000 addresses found.',
  },
  { name: 'completed, as a viewer', as: VIEWER, path: LIST, shows: 'read-only access' },
  {
    name: 'canceled',
    path: LIST,
    api: job({ ...FINISHED_JOB, status: 'canceled', done_count: 400 }),
    shows: 'This list was canceled.',
  },
  {
    name: 'failed',
    path: LIST,
    api: job({ ...FINISHED_JOB, status: 'failed', done_count: 400 }),
    shows: 'This list failed',
  },
  {
    name: 'expired',
    path: LIST,
    api: {
      'GET /bulk/jobs/:job/breakdown': problem('results_expired'),
      'GET /bulk/jobs/:job/results': problem('results_expired'),
    },
    shows: 'The rows of this list were deleted.',
  },
  { name: 'in progress', path: LIST, api: RUNNING, shows: '312 addresses deferred' },
  {
    name: 'in progress, with the time for the work and the addresses that wait',
    path: LIST,
    api: RUNNING,
    shows: 'About 60 s left; 312 addresses wait for greylisting servers, at the latest ',
  },
  {
    name: 'in progress, the rest deferred',
    path: LIST,
    api: job(RETRYING_JOB),
    shows: '\n312 addresses wait for greylisting servers, at the latest ',
  },
  { name: 'in progress, with its cost', path: LIST, api: RUNNING, shows: '155 refunded for unknown results' },
  {
    name: 'in progress, with an email at the end',
    path: LIST,
    api: { ...RUNNING, 'PATCH /notices': { wanted: ['credits_low', 'job_done'], usual: [], mail: true } },
    act: () => click(page.getByLabelText('Email me when a list of this account is finished')),
    has: 'main input[type="checkbox"]:checked',
  },
  {
    name: 'in progress, without a mail server',
    path: LIST,
    api: { ...RUNNING, 'GET /notices': { wanted: null, usual: [], mail: false } },
    shows: '312 addresses deferred',
  },
  {
    name: 'queued without a worker',
    path: LIST,
    api: job({ ...QUEUED_JOB, delay_reason: 'no_worker' }),
    shows: 'Waiting for a worker',
  },
  { name: 'queued for an hour', path: LIST, api: job(QUEUED_JOB), shows: 'No progress for' },
  {
    name: 'under review',
    path: LIST,
    api: job({ ...PAUSED_JOB, delay_reason: 'under_review' }),
    shows: 'Under review',
  },
  { name: 'paused', path: LIST, api: job(PAUSED_JOB), shows: 'Resume' },
  { name: 'not found', path: LIST, api: { 'GET /bulk/jobs/:job': problem('not_found') }, shows: 'List not found' },
  {
    name: 'results without matches',
    path: `${LIST}?search=other`,
    api: { 'GET /bulk/jobs/:job/results': [] },
    shows: 'No results match these filters',
  },
  { name: 'open result', path: `${LIST}?row=2`, shows: 'Row 2 of the file' },
  {
    name: 'open result of a second address',
    path: `${LIST}?row=4&position=2`,
    act: hitInDrawer('k'),
    shows: 'Row 4 of the file ·',
  },
  { name: 'next result by key', path: `${LIST}?row=2`, act: hitInDrawer('j'), shows: 'Row 3 of the file' },
  { name: 'previous result by key', path: `${LIST}?row=4`, act: hitInDrawer('k'), shows: 'Row 3 of the file' },
  {
    name: 'next result by button',
    path: `${LIST}?row=4`,
    act: clickOn('button[aria-label^="Next result"]:enabled'),
    shows: 'Row 4 of the file, address 2 of its cell',
  },
  { name: 'download', path: LIST, act: press('Download'), shows: 'Download all rows' },
  {
    name: 'download of the addresses to keep',
    path: LIST,
    act: inOrder(press('Download'), () => click(page.getByRole('radio', { name: /^Addresses to keep/ }))),
    shows: 'Download 5,842 to keep',
  },
  {
    name: 'download of what was not validated',
    path: LIST,
    api: MESSY_LIST,
    act: inOrder(press(/^Download$/), () => click(page.getByRole('radio', { name: /^Not validated/ }))),
    shows: 'Rows without an address and malformed values',
  },
  { name: 'verdict to download', path: LIST, has: 'button[aria-label="Download 388 invalid"]' },
  { name: 'list to pause', path: LIST, api: RUNNING, act: press('Pause list'), has: DIALOG },
  { name: 'list to cancel', path: LIST, api: RUNNING, act: choose('More actions', 'Cancel list'), has: DIALOG },
  { name: 'list to delete', path: LIST, act: choose('More actions', 'Delete list'), has: DIALOG },
  { name: 'list to rename', path: LIST, act: choose('More actions', 'Rename and tag'), has: DIALOG },
  {
    name: 'list without a name',
    path: LIST,
    act: inOrder(choose('More actions', 'Rename and tag'), fill('Name', ' '), press('Save')),
    has: '[aria-invalid]',
  },
  { name: 'list to run again', path: LIST, act: choose('More actions', 'Run again'), has: DIALOG },
  {
    name: 'unknown addresses to validate again',
    path: LIST,
    act: choose('More actions', 'Validate 155 unknown addresses again'),
    shows: 'Cost: 155 credits.',
  },
  {
    name: 'some of the unknown addresses to validate again',
    path: LIST,
    api: job(PARTLY_LASTING_JOB),
    act: choose('More actions', 'Validate 67 of 187 unknown addresses again'),
    shows: '120 are at providers that do not reveal mailboxes.',
  },
  {
    name: 'unknown addresses that cannot change',
    path: LIST,
    api: job({ ...PARTLY_LASTING_JOB, rerunnable_count: 0 }),
    act: choose('More actions', 'Validate 187 unknown addresses again'),
    shows: 'changes nothing',
  },
  { name: 'unknown addresses validated again', path: LIST, api: job(RERUNNING_JOB), shows: '23 of 67' },
  {
    name: 'menu while unknown addresses are validated again',
    path: LIST,
    api: job(RERUNNING_JOB),
    act: press('More actions'),
    has: '[role="menu"]:not(:has([role="menuitem"]:nth-child(6)))',
  },
  {
    name: 'rerun to stop',
    path: LIST,
    api: job(RERUNNING_JOB),
    act: press('Stop'),
    shows: '23 new results are added to this list.',
  },
  { name: 'rerun as viewer', as: VIEWER, path: LIST, api: job(RERUNNING_JOB), shows: 'again' },
  {
    name: 'rerun before its merge',
    path: LIST,
    api: job(MERGING_JOB),
    shows: 'The new results are being added to this list.',
  },
  {
    name: 'merged rerun',
    path: LIST,
    api: job(MERGED_JOB),
    shows:
      '67 unknown addresses validated again on 19 Nov 2026: 12 became valid, 3 became invalid; 52 are still unknown.',
  },
  {
    name: 'only results that cannot change',
    path: LIST,
    api: job({
      ...FINISHED_JOB,
      unique_count: 1,
      done_count: 1,
      status_counts: { valid: 0, invalid: 0, risky: 0, unknown: 1 },
      sub_status_counts: { provider_unverifiable: 1 },
      rerunnable_count: 0,
    }),
    has: 'main:not(:has([class*="bg-risky-soft text-risky"][class*="rounded-md px-4"]))',
  },
  {
    name: 'list to run again without its file',
    path: LIST,
    api: job({ ...FINISHED_JOB, file_expires_at: '2026-11-02T12:00:00.000Z' }),
    act: choose('More actions', 'Run again'),
    shows: 'The file was deleted.',
  },
  {
    name: 'list to run again with too few credits',
    path: LIST,
    api: job({ ...FINISHED_JOB, unique_count: 10_000_000 }),
    act: choose('More actions', 'Run again'),
    shows: 'Insufficient credits',
  },
  {
    name: 'rerun of all rows',
    path: LIST,
    api: job({ ...FINISHED_JOB, rerun_of: EARLIER_JOB.id, rerun_rows: 'all' }),
    shows: 'run again from',
  },
  {
    name: 'rerun of unknown rows, which leads to its list',
    path: `/lists/${RERUN_ID}`,
    api: {
      [`GET /bulk/jobs/${RERUN_ID}`]: {
        ...FINISHED_JOB,
        id: RERUN_ID,
        rerun_of: FINISHED_JOB.id,
        rerun_rows: 'unknown',
      },
      'GET /bulk/jobs/:job': MERGED_JOB,
    },
    shows: '67 unknown addresses validated again',
  },
  {
    name: 'rerun of unknown rows of a deleted list',
    path: `/lists/${RERUN_ID}`,
    api: {
      [`GET /bulk/jobs/${RERUN_ID}`]: {
        ...FINISHED_JOB,
        id: RERUN_ID,
        rerun_of: EARLIER_JOB.id,
        rerun_rows: 'unknown',
      },
      'GET /bulk/jobs/:job': problem('not_found'),
    },
    shows: 'unknown addresses of a deleted list',
  },
  {
    name: 'compared with an earlier list',
    path: LIST,
    api: { 'GET /bulk/jobs': [FINISHED_JOB, EARLIER_JOB] },
    act: choose('More actions', 'Compare with an earlier list'),
    shows: '118 changed their verdict.',
  },
  {
    name: 'compared by counts only',
    as: VIEWER,
    path: LIST,
    api: {
      'GET /bulk/jobs': [FINISHED_JOB, EARLIER_JOB],
      'GET /bulk/jobs/:job/comparison': { ...exampleOf(JobComparison), changes: null },
    },
    act: choose('More actions', 'Compare with an earlier list'),
    shows: 'Changed addresses are not counted.',
  },
  {
    name: 'without an earlier list',
    path: LIST,
    act: choose('More actions', 'Compare with an earlier list'),
    shows: 'No earlier list',
  },
  {
    name: 'comparison fails',
    path: LIST,
    api: {
      'GET /bulk/jobs': [FINISHED_JOB, EARLIER_JOB],
      'GET /bulk/jobs/:job/comparison': problem('ip_not_allowed'),
    },
    act: choose('More actions', 'Compare with an earlier list'),
    has: '[role="alert"]',
  },
  { name: 'report to share', path: LIST, act: choose('More actions', 'Share a report'), shows: 'expires 2 Dec 2026' },
  {
    name: 'new report link',
    path: LIST,
    api: { 'POST /bulk/jobs/:job/report-links': exampleOf(ReportLinkWithUrl) },
    act: inOrder(choose('More actions', 'Share a report'), press('Create link')),
    shows: 'It is shown once.',
  },
  {
    name: 'too many report links',
    path: LIST,
    api: {
      'GET /bulk/jobs/:job/report-links': [],
      'POST /bulk/jobs/:job/report-links': problem('too_many_report_links'),
    },
    act: inOrder(choose('More actions', 'Share a report'), press('Create link')),
    shows: 'Revoke one that is no longer needed.',
  },
  { name: 'menu', path: LIST, act: press('More actions'), has: '[role="menu"]' },
  ...whileLoading({ path: LIST, route: 'GET /bulk/jobs/:job' }),
  ...whileLoading({ path: LIST, route: 'GET /bulk/jobs/:job/breakdown' }),
  ...whileLoading({ path: `${LIST}?tab=results`, route: 'GET /bulk/jobs/:job/results' }),
  ...whileLoading({ path: `${LIST}?row=2`, route: 'GET /bulk/jobs/:job/results/:row' }),
])

const REPORT_PATH = '/report#token'

testStates('report', [
  { name: 'with more rows than fit', path: REPORT_PATH, api: { 'POST /report': REPORT }, shows: 'Other reasons' },
  {
    name: 'of a canceled list in test mode, without providers',
    path: REPORT_PATH,
    api: {
      'POST /report': {
        ...REPORT,
        ...{ status: 'canceled', livemode: false, by_provider: null },
        ...{ line_count: 10_521, row_count: 10_501, unique_count: 10_001 },
      },
    },
    shows: '10,521 lines: 20 blank, 48 without an address, 452 duplicates, 10,000 validated, 1 not validated.',
  },
  {
    name: 'revoked',
    path: REPORT_PATH,
    api: { 'POST /report': problem('not_found') },
    shows: 'Report not available',
  },
  { name: 'without a token', path: '/report', shows: 'Report not available' },
  ...whileLoading({ path: REPORT_PATH, route: 'POST /report' }),
])
