import { CreatedKey } from '@probity/contract/schemas/keys'
import { page } from 'vitest/browser'
import { WITHOUT_PROBES } from './test-accounts.ts'
import { click, inOrder, paste, press, type } from './test-actions.ts'
import { NO_RESPONSE, problem } from './test-api.ts'
import { exampleOf } from './test-examples.ts'
import { PREVIEW, VALIDATION, validationOf } from './test-jobs.ts'
import { BEGINNER, VIEWER } from './test-member.ts'
import { type State, testStates, whileLoading } from './test-states.ts'

const ADDRESS = 'ada@example.com'

async function validate() {
  await type(page.getByRole('textbox').first(), ADDRESS)
  await click(page.getByRole('button', { name: 'Validate', exact: true }))
}

const validated = (name: string, result: typeof VALIDATION, act = validate): State => ({
  name,
  path: '/validate',
  api: { 'POST /validation/single': result },
  act,
  shows: 'Link to this result',
})

testStates('validate', [
  { name: 'no result', path: '/validate', shows: 'No result yet' },
  { name: 'in test mode', path: '/validate?mode=test', shows: 'mailbox-full' },
  { name: 'as a viewer', as: VIEWER, path: '/validate', shows: 'You cannot validate addresses' },
  {
    name: 'without probes',
    path: '/validate',
    api: { 'GET /account': WITHOUT_PROBES },
    shows: 'DNS lookups are unreliable',
  },
  validated('valid', VALIDATION),
  validated('invalid', validationOf(ADDRESS, 'mailbox_not_found')),
  validated('risky', validationOf(ADDRESS, 'catch_all')),
  validated('unknown', validationOf(ADDRESS, 'greylisted')),
  validated('blocked by the account', { ...VALIDATION, override: 'block' }),
  validated('mistyped', { ...validationOf(ADDRESS, 'domain_not_found'), did_you_mean: 'ada@example.org' }),
  validated(
    'as JSON',
    VALIDATION,
    inOrder(validate, () => click(page.getByRole('tab', { name: 'JSON' }))),
  ),
  validated(
    'as code',
    VALIDATION,
    inOrder(validate, () => click(page.getByRole('tab', { name: 'Code' }))),
  ),
  validated('again, from the recent ones', VALIDATION, inOrder(validate, press(/^Validate .+ again$/))),
  {
    name: 'several addresses pasted',
    path: '/validate',
    act: paste('Email address', 'ada@example.com\nGrace <grace@example.com>, ada@example.com'),
    shows: '2 addresses pasted',
  },
  {
    name: 'a list of pasted addresses',
    path: '/validate',
    api: { 'POST /bulk/upload/preview': PREVIEW },
    act: inOrder(paste('Email address', 'ada@example.com\ngrace@example.com'), press('Create a list of 2')),
    shows: 'Review and confirm',
  },
  {
    name: 'without credits',
    path: '/validate',
    api: { 'POST /validation/single': problem('insufficient_credits') },
    act: validate,
    has: 'main [role="alert"]',
  },
  {
    name: 'in progress',
    path: '/validate',
    api: { 'POST /validation/single': NO_RESPONSE },
    act: validate,
    has: '[aria-busy="true"], main [role="progressbar"], main button',
  },
])

const RESULT = `/validate/${VALIDATION.id}`

testStates('stored validation', [
  { name: 'as the owner', path: RESULT, shows: 'Evidence' },
  { name: 'as a viewer', as: VIEWER, path: RESULT, shows: 'You cannot' },
  {
    name: 'not found',
    path: RESULT,
    api: { 'GET /validations/:validation': problem('not_found') },
    has: '[role="alert"]',
  },
  ...whileLoading({ path: RESULT, route: 'GET /validations/:validation' }),
])

const NEW_KEY = exampleOf(CreatedKey)

testStates('quick start', [
  { name: 'first steps', as: BEGINNER, path: '/quick-start', shows: '0 of 4 done' },
  { name: 'always in test mode', path: '/quick-start', has: 'header input[value="test"]:checked' },
  { name: 'with keys and lists', path: '/quick-start', shows: '3 of 4 done' },
  { name: 'in test mode, for lists', path: '/quick-start?mode=test&goal=list', shows: '3 of 4 done' },
  { name: 'as a viewer', as: VIEWER, path: '/quick-start', shows: 'Your role cannot validate addresses' },
  {
    name: 'with a new key',
    path: '/quick-start',
    api: { 'POST /keys': NEW_KEY, 'GET /keys/:key': NEW_KEY },
    act: press(/^Create (a )?(test )?key/),
    shows: 'Waiting for',
  },
  {
    name: 'account fails',
    path: '/quick-start',
    api: { 'GET /account': problem('ip_not_allowed') },
    shows: '3 of 4 done',
  },
])
