import type { Session } from '@probity/contract/schemas/users'
import { choose, press } from './test-actions.ts'
import { OPERATOR as as, OWNER } from './test-member.ts'
import { ACCOUNTS, DOCTOR, HEALTH, PROVIDERS, QUEUES } from './test-operators.ts'
import { testStates, whileLoading } from './test-states.ts'
import { INSTALLATION, OPERATOR_SESSION } from './test-users.ts'

const DIALOG = '[role="dialog"], [role="alertdialog"]'

testStates('health', [
  { name: 'with problems', as, path: '/operator/health', shows: 'Worker' },
  {
    name: 'all parts work',
    as,
    path: '/operator/health',
    api: { 'GET /operator/health': { ...HEALTH, parts: HEALTH.parts.slice(0, 1) } },
    shows: 'All systems operational',
  },
  { name: 'paused refreshes', as, path: '/operator/health', act: press('Pause'), shows: 'Worker' },
  ...whileLoading({ as, path: '/operator/health', route: 'GET /operator/health' }),
])

testStates('doctor', [
  { name: 'with findings', as, path: '/operator/doctor', shows: 'Add this record.' },
  {
    name: 'without findings',
    as,
    path: '/operator/doctor',
    api: { 'GET /operator/doctor': { findings: [], run_requested: false } },
    has: 'main h2',
  },
  {
    name: 'run requested',
    as,
    path: '/operator/doctor',
    api: { 'GET /operator/doctor': { ...DOCTOR, run_requested: true } },
    has: '[aria-busy="true"], main button[disabled]',
  },
  ...whileLoading({ as, path: '/operator/doctor', route: 'GET /operator/doctor' }),
])

testStates('providers', [
  { name: 'with probes', as, path: '/operator/providers', shows: 'GMX' },
  {
    name: 'none',
    as,
    path: '/operator/providers?hours=1',
    api: { 'GET /operator/providers': { ...PROVIDERS, providers: [] } },
    shows: 'No probes in this period',
  },
  { name: 'menu', as, path: '/operator/providers', act: press('Actions for GMX'), has: '[role="menu"]' },
  { name: 'provider to pause', as, path: '/operator/providers', act: choose('Actions for GMX', 'Pause'), has: DIALOG },
  {
    name: 'provider to resume',
    as,
    path: '/operator/providers',
    act: choose('Actions for Yahoo', 'Resume'),
    has: DIALOG,
  },
  { name: 'rate', as, path: '/operator/providers', act: choose('Actions for GMX', 'Change rate'), has: DIALOG },
  {
    name: 'suspension to lift',
    as,
    path: '/operator/providers',
    act: choose(/^Actions for Microsoft/, 'Lift suspension'),
    has: DIALOG,
  },
  ...whileLoading({ as, path: '/operator/providers', route: 'GET /operator/providers' }),
])

testStates('egress', [
  { name: 'with egresses', as, path: '/operator/egress', shows: 'mail.example.com' },
  { name: 'egress to drain', as, path: '/operator/egress', act: press('Drain primary'), has: DIALOG },
  { name: 'egress to resume', as, path: '/operator/egress', act: press('Resume second'), has: DIALOG },
  ...whileLoading({ as, path: '/operator/egress', route: 'GET /operator/egress' }),
])

testStates('queues', [
  { name: 'with a stalled list', as, path: '/operator/queues', shows: 'Example Ltd' },
  {
    name: 'nothing stalled',
    as,
    path: '/operator/queues',
    api: { 'GET /operator/queues': { ...QUEUES, jobs: { ...QUEUES.jobs, stalled: [] } } },
    shows: 'No stalled lists.',
  },
  { name: 'list to requeue', as, path: '/operator/queues', act: press(/^Requeue:/), has: DIALOG },
  ...whileLoading({ as, path: '/operator/queues', route: 'GET /operator/queues' }),
])

testStates('reviews', [
  { name: 'with a list', as, path: '/operator/reviews', shows: 'By email, 2 November' },
  {
    name: 'none, limits off',
    as,
    path: '/operator/reviews',
    api: { 'GET /operator/reviews': { reviews: [], are_limits_on: false }, 'GET /operator/opt-outs': { domains: [] } },
    shows: 'Abuse limits are off',
  },
  { name: 'list to release', as, path: '/operator/reviews', act: press(/^Release:/), has: DIALOG },
  { name: 'list to cancel', as, path: '/operator/reviews', act: press(/^Cancel:/), has: DIALOG },
  { name: 'domain to add', as, path: '/operator/reviews', act: press('Add domain'), has: DIALOG },
  ...whileLoading({ as, path: '/operator/reviews', route: 'GET /operator/reviews' }),
  ...whileLoading({ as, path: '/operator/reviews', route: 'GET /operator/opt-outs' }),
])

const MENU = /^Actions for Example Ltd/

testStates('accounts', [
  { name: 'with accounts', as, path: '/operator/accounts', shows: 'Bletchley' },
  {
    name: 'filters without matches',
    as,
    path: '/operator/accounts?search=other',
    api: { 'GET /operator/accounts': { ...ACCOUNTS, accounts: [], total: 0 } },
    has: 'main h2',
  },
  { name: 'menu', as, path: '/operator/accounts', act: press(MENU), has: '[role="menu"]' },
  { name: 'credits', as, path: '/operator/accounts', act: choose(MENU, /credits/i), has: DIALOG },
  { name: 'plan', as, path: '/operator/accounts', act: choose(MENU, /plan/i), has: DIALOG },
  { name: 'account to suspend', as, path: '/operator/accounts', act: choose(MENU, /^Suspend/), has: DIALOG },
  {
    name: 'password reset, without email',
    as,
    path: '/operator/accounts',
    api: { 'GET /welcome': { ...INSTALLATION, mail: false } },
    act: press('Create password reset link'),
    has: DIALOG,
  },
  ...whileLoading({ as, path: '/operator/accounts', route: 'GET /operator/accounts' }),
])

testStates('replies', [
  { name: 'with replies', as, path: '/operator/replies', shows: 'mailbox unavailable' },
  { name: 'none', as, path: '/operator/replies', api: { 'GET /operator/replies': { replies: [] } }, has: 'main h2' },
  ...whileLoading({ as, path: '/operator/replies', route: 'GET /operator/replies' }),
])

testStates('audit log of the installation', [
  { name: 'with entries', as, path: '/operator/audit-log', shows: 'API key changed' },
  { name: 'of the installation only', as, path: '/operator/audit-log?account=installation', shows: 'API key changed' },
  ...whileLoading({ as, path: '/operator/audit-log', route: 'GET /operator/audit-log' }),
])

const closed = (operator_access: Session['operator_access']) => ({
  'GET /session': { ...OPERATOR_SESSION, operator_access },
})

testStates('operator access', [
  { name: 'not an operator', as: OWNER, path: '/operator/health', shows: 'Operator access required' },
  {
    name: 'without 2FA',
    as,
    path: '/operator/health',
    api: closed('two_factor_required'),
    shows: 'Set up two-factor authentication first',
  },
  {
    name: 'setting up 2FA',
    as,
    path: '/operator/health',
    api: closed('two_factor_required'),
    act: press('Set up two-factor authentication'),
    has: DIALOG,
  },
  {
    name: 'from another network',
    as,
    path: '/operator/health',
    api: closed('ip_not_allowed'),
    shows: 'PROBITY_OPERATOR_NETWORKS',
  },
])
