import { page } from 'vitest/browser'
import { choose, click, fill, inOrder, press } from './test-actions.ts'
import { type Api, authError, problem } from './test-api.ts'
import { VIEWER } from './test-member.ts'
import { testStates, whileLoading } from './test-states.ts'
import { INSTALLATION, INVITATION, MEMBERS, OWN_INVITATION, SIGNED_OUT, sessionOf } from './test-users.ts'

const as = SIGNED_OUT
const WITHOUT_MAIL = { 'GET /welcome': { ...INSTALLATION, mail: false } }
const CLOSED = { 'GET /welcome': { ...INSTALLATION, sign_up: 'invitation' as const } }

const enterPassword = inOrder(
  fill('Email address', 'ada@example.com'),
  fill('Password', 'correct horse battery'),
  press('Sign in'),
)
const WRONG = authError(401, 'INVALID_EMAIL_OR_PASSWORD', 'Invalid email or password')
const UNVERIFIED = authError(403, 'EMAIL_NOT_VERIFIED', 'Email not verified')

testStates('sign-in', [
  { name: 'form', as, path: '/sign-in', shows: 'Password' },
  { name: 'nothing typed', as, path: '/sign-in', act: press('Sign in'), has: '[aria-invalid="true"]' },
  {
    name: 'wrong password',
    as,
    path: '/sign-in',
    api: { 'POST /auth/sign-in/email': WRONG },
    act: enterPassword,
    has: 'form [role="group"]',
  },
  {
    name: 'unconfirmed address',
    as,
    path: '/sign-in',
    api: { 'POST /auth/sign-in/email': UNVERIFIED },
    act: enterPassword,
    shows: 'ada@example.com',
  },
  {
    name: '2FA code',
    as,
    path: '/sign-in',
    api: { 'POST /auth/sign-in/email': { twoFactorRedirect: true } },
    act: enterPassword,
    has: '[autocomplete="one-time-code"]',
  },
  {
    name: 'before the setup',
    as,
    path: '/sign-in',
    api: { 'GET /welcome': { ...INSTALLATION, setup_needed: true } },
    shows: 'probity-admin setup-link',
  },
  { name: 'by invitation only', as, path: '/sign-in', api: CLOSED, shows: 'by invitation' },
  {
    name: 'installation unknown',
    as,
    path: '/sign-in',
    api: { 'GET /welcome': problem('ip_not_allowed') },
    shows: 'Password',
  },
])

const USER = [
  fill('Your name', 'Ada Lovelace'),
  fill('Email address', 'ada@example.com'),
  fill('Password', 'correct horse battery'),
]

testStates('sign-up', [
  { name: 'form', as, path: '/sign-up', has: '[autocomplete="new-password"]' },
  { name: 'nothing typed', as, path: '/sign-up', act: press('Sign up'), has: '[aria-invalid="true"]' },
  {
    name: 'link sent',
    as,
    path: '/sign-up',
    api: { 'POST /auth/sign-up/email': {} },
    act: inOrder(...USER, press('Sign up')),
    shows: 'ada@example.com',
  },
  {
    name: 'link created, without email',
    as,
    path: '/sign-up',
    api: { 'POST /auth/sign-up/email': {}, ...WITHOUT_MAIL },
    act: inOrder(...USER, press('Sign up')),
    shows: 'ada@example.com',
  },
  { name: 'by invitation only', as, path: '/sign-up', api: CLOSED, shows: 'by invitation only' },
  ...whileLoading({ as, path: '/sign-up', route: 'GET /welcome' }),
])

const SETUP = { 'GET /welcome': { ...INSTALLATION, setup_needed: true } }

testStates('links of emails', [
  { name: 'setup', as, path: '/setup#token=x', api: SETUP, shows: 'Account name' },
  { name: 'setup without a token', as, path: '/setup', api: SETUP, shows: 'probity-admin setup-link' },
  { name: 'setup link already used', as, path: '/setup#token=x', shows: 'already used' },
  { name: 'confirm the address', as, path: '/verify-email#token=x', shows: 'Password' },
  { name: 'confirm the address without a token', as, path: '/verify-email', has: 'main a' },
  { name: 'confirm a new address', as, path: '/confirm-email#token=x', shows: 'Password' },
  { name: 'new password', as, path: '/reset-password#token=x', shows: 'New password' },
  { name: 'new password without a token', as, path: '/reset-password', has: 'main a' },
  { name: 'forgotten password', as, path: '/forgot-password', shows: 'Email address' },
  {
    name: 'forgotten password, link sent',
    as,
    path: '/forgot-password',
    api: { 'POST /auth/request-password-reset': { status: true } },
    act: inOrder(fill('Email address', 'ada@example.com'), press('Send link')),
    shows: 'ada@example.com',
  },
  { name: 'forgotten password, without email', as, path: '/forgot-password', api: WITHOUT_MAIL, shows: 'reset-link' },
])

const LINK = '/accept-invitation#id=0198e4a7-20d0-7c11-8d1e-2f6a7b8c9d03.secret'
const INVITED = { 'GET /invitations/:invitation': INVITATION }

testStates('invitation', [
  { name: 'new user', as, path: LINK, api: INVITED, has: '[autocomplete="new-password"]' },
  {
    name: 'existing user',
    as,
    path: LINK,
    api: INVITED,
    act: press('I already have a profile'),
    has: '[autocomplete="current-password"]',
  },
  { name: 'signed in', path: LINK, api: INVITED, shows: 'Grace Hopper' },
  {
    name: 'signed in as another user',
    path: LINK,
    api: { 'GET /invitations/:invitation': { ...INVITATION, email: 'alan@example.com' } },
    shows: 'You are signed in as ada@example.com',
  },
  {
    name: 'no longer valid',
    as,
    path: LINK,
    api: { 'GET /invitations/:invitation': problem('not_found') },
    shows: 'no longer valid',
  },
  { name: 'incomplete link', as, path: '/accept-invitation', has: 'main a' },
  ...whileLoading({ as, path: LINK, route: 'GET /invitations/:invitation' }),
])

const ALONE = { 'GET /session': { ...sessionOf('owner'), memberships: [] } }

testStates('without an account', [
  {
    name: 'no invitation',
    path: '/',
    api: { ...ALONE, 'GET /auth/organization/list-user-invitations': [] },
    shows: 'Account name',
  },
  {
    name: 'invited',
    path: '/',
    api: { ...ALONE, 'GET /auth/organization/list-user-invitations': [OWN_INVITATION] },
    shows: 'Bletchley',
  },
  {
    name: 'accounts by operators only',
    path: '/',
    api: {
      'GET /session': { ...sessionOf('owner', { may_create_accounts: false }), memberships: [] },
      'GET /auth/organization/list-user-invitations': [],
    },
    shows: 'No account yet',
  },
  {
    name: 'profile to delete',
    path: '/',
    api: { ...ALONE, 'GET /auth/organization/list-user-invitations': [] },
    act: press('delete your profile'),
    has: '[role="dialog"]',
  },
])

/** The session is valid for the first page only. */
function endingSession(): Api {
  let isOver = false
  const end = () => {
    const response = isOver ? problem('missing_api_key')() : Response.json(sessionOf('owner'))
    isOver = true
    return response
  }
  return { 'GET /session': end, 'GET /keys': problem('missing_api_key') }
}

testStates('shell', [
  {
    name: 'session ended',
    path: '/lists',
    api: endingSession(),
    act: () => click(page.getByRole('link', { name: 'API keys' }).first()),
    shows: 'Your session has ended',
  },
  { name: 'no such page', path: '/no-such-page', shows: 'Page not found' },
  {
    name: 'session fails',
    path: '/lists',
    api: { 'GET /session': problem('ip_not_allowed') },
    has: '[role="alert"]',
    logs: /RequestFailed/,
  },
  { name: 'account menu', path: '/lists', act: press(/^account:/i), has: '[role="menu"]' },
  { name: 'profile menu', path: '/lists', act: press(/^your profile/i), has: '[role="menu"]' },
  { name: 'help menu', path: '/lists', act: press('Help'), has: '[role="menu"]' },
])

const SECOND_FACTOR = {
  'POST /auth/two-factor/enable': {
    totpURI: 'otpauth://totp/Probity:ada@example.com?secret=JBSWY3DPEHPK3PXP&issuer=Probity',
    backupCodes: ['aaaaa-11111', 'bbbbb-22222'],
  },
}

const WITH_2FA: Api = { 'GET /session': sessionOf('owner', { two_factor: true }) }

testStates('profile and security', [
  { name: 'profile', path: '/settings/profile', shows: 'ada@example.com' },
  { name: 'profile to delete', path: '/settings/profile', act: press('Delete profile'), has: '[role="dialog"]' },
  { name: 'address to change', path: '/settings/profile', act: press(/^change/i), has: '[role="dialog"]' },
  { name: 'security', path: '/settings/security', shows: '192.0.2.17' },
  {
    name: 'security with 2FA',
    path: '/settings/security',
    api: WITH_2FA,
    shows: '192.0.2.17',
  },
  {
    name: 'setting up 2FA',
    path: '/settings/security',
    act: press('Set up two-factor authentication'),
    has: '[role="dialog"]',
  },
  {
    name: 'setting up 2FA, code',
    path: '/settings/security',
    api: SECOND_FACTOR,
    act: inOrder(
      press('Set up two-factor authentication'),
      fill('Your password', 'correct horse battery'),
      press('Continue'),
    ),
    shows: 'Code from your authenticator app',
  },
  {
    name: 'disabling 2FA',
    path: '/settings/security',
    api: WITH_2FA,
    act: press('Disable 2FA'),
    shows: 'From your authenticator app, or a recovery code.',
  },
  {
    name: 'disabling 2FA, wrong code',
    path: '/settings/security',
    api: {
      ...WITH_2FA,
      'POST /auth/two-factor/disable': problem('invalid_request', [
        { pointer: '/code', detail: 'The code is invalid or was already used.' },
      ]),
    },
    act: inOrder(
      press('Disable 2FA'),
      fill('Your password', 'correct horse battery'),
      fill('2FA code', '123456'),
      press('Disable 2FA'),
    ),
    shows: 'The code is invalid or was already used.',
  },
  {
    name: 'new recovery codes without a 2FA code',
    path: '/settings/security',
    api: WITH_2FA,
    act: inOrder(
      press('Create new recovery codes'),
      fill('Your password', 'correct horse battery'),
      press('Create codes'),
    ),
    shows: 'Enter a code.',
  },
  {
    name: 'new recovery codes',
    path: '/settings/security',
    api: { ...WITH_2FA, 'POST /auth/two-factor/generate-backup-codes': { backupCodes: ['aaaaa-11111'] } },
    act: inOrder(
      press('Create new recovery codes'),
      fill('Your password', 'correct horse battery'),
      fill('2FA code', '123456'),
      press('Create codes'),
    ),
    shows: 'aaaaa-11111',
  },
  ...whileLoading({ path: '/settings/security', route: 'GET /sessions' }),
  { name: 'notifications', path: '/settings/notices', has: 'input[type="checkbox"]' },
  ...whileLoading({ path: '/settings/notices', route: 'GET /notices' }),
])

const PATH = '/settings/members'

testStates('members', [
  { name: 'members', path: PATH, shows: 'alan@example.com' },
  {
    name: 'one member',
    path: PATH,
    api: {
      'GET /auth/organization/list-members': { members: MEMBERS.slice(0, 1) },
      'GET /auth/organization/list-invitations': [],
    },
    shows: 'Ada Lovelace',
  },
  { name: 'as a viewer', as: VIEWER, path: PATH, shows: 'Grace Hopper' },
  { name: 'invitation to create', path: PATH, act: press(/^invite/i), has: '[role="dialog"]' },
  {
    name: 'role to change',
    path: PATH,
    act: choose('Actions for Grace Hopper', 'Change role'),
    has: '[role="dialog"]',
  },
  {
    name: 'member to remove',
    path: PATH,
    act: choose('Actions for Grace Hopper', /^Remove/),
    has: '[role="alertdialog"], [role="dialog"]',
  },
  { name: 'menu of a member', path: PATH, act: press('Actions for Grace Hopper'), has: '[role="menu"]' },
  ...whileLoading({ path: PATH, route: 'GET /auth/organization/list-members' }),
  ...whileLoading({ path: PATH, route: 'GET /auth/organization/list-invitations' }),
])
