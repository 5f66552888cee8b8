import type { Role } from '@probity/contract/constants/users'
import { JobComparison } from '@probity/contract/schemas/jobs/comparison'
import { ReportLink } from '@probity/contract/schemas/jobs/reports'
import { RequestDetail } from '@probity/contract/schemas/requests'
import { Delivery, DeliveryDetail } from '@probity/contract/schemas/webhooks/deliveries'
import { CallbackSecret, Webhook } from '@probity/contract/schemas/webhooks/endpoints'
import * as accounts from './test-accounts.ts'
import type { Api } from './test-api.ts'
import { exampleOf } from './test-examples.ts'
import * as jobs from './test-jobs.ts'
import * as operators from './test-operators.ts'
import * as users from './test-users.ts'

export const WEBHOOK: Webhook = exampleOf(Webhook)

/** The responses to a member of an account with data of every kind. */
export function apiOf(role: Role): Api {
  return {
    'GET /account': accounts.ACCOUNT,
    'GET /account/callback-secret': exampleOf(CallbackSecret),
    'GET /audit-log': accounts.AUDIT_LOG,
    'GET /auth/organization/list-invitations': [users.OPEN_INVITATION],
    'GET /auth/organization/list-members': { members: users.MEMBERS },
    'GET /billing': accounts.BILLING,
    'GET /bulk/jobs': [jobs.RUNNING_JOB, jobs.FINISHED_JOB],
    'GET /bulk/jobs/:job': jobs.FINISHED_JOB,
    'GET /bulk/jobs/:job/breakdown': jobs.BREAKDOWN,
    'GET /bulk/jobs/:job/report-links': [exampleOf(ReportLink)],
    'GET /bulk/jobs/:job/comparison': exampleOf(JobComparison),
    'GET /bulk/jobs/:job/results': jobs.RESULTS,
    'GET /bulk/jobs/:job/results/:row': jobs.RESULT_DETAIL,
    'GET /bulk/uploads': [jobs.UPLOAD],
    'GET /bulk/uploads/:upload': jobs.PREVIEW,
    'GET /bulk/uploads/:upload/non-addresses': jobs.NON_ADDRESSES,
    'GET /bulk/uploads/:upload/suggestions': jobs.SUGGESTIONS,
    'GET /deletion': accounts.DELETION,
    'GET /keys': accounts.KEYS,
    'GET /ledger': accounts.LEDGER,
    'GET /network': accounts.NETWORK,
    'GET /notices': { wanted: ['credits_low'], usual: ['credits_low', 'job_done'], mail: true },
    'GET /overrides': accounts.OVERRIDES,
    'GET /overview': accounts.OVERVIEW,
    'GET /policies': accounts.POLICIES,
    'GET /requests': accounts.REQUESTS,
    'GET /requests/:request': exampleOf(RequestDetail),
    'GET /session': users.sessionOf(role),
    'GET /sessions': users.SESSIONS,
    'GET /usage': accounts.USAGE,
    'GET /validations/:validation': jobs.VALIDATION,
    'GET /webhooks': [
      WEBHOOK,
      { ...WEBHOOK, id: '0198f3a0-41c7-7d92-b6e8-3f5a90d27c15', enabled: false, disabled_reason: 'failing' },
    ],
    'GET /webhooks/:webhook': WEBHOOK,
    'GET /webhooks/:webhook/deliveries': [
      exampleOf(Delivery),
      { ...exampleOf(Delivery), id: '0198f3a1-0b52-7e18-9c40-6d7f21a8e396', status: 'failed' },
    ],
    'GET /webhooks/:webhook/deliveries/:delivery': exampleOf(DeliveryDetail),
    'GET /welcome': users.INSTALLATION,
  }
}

export const OWNER = apiOf('owner')
export const VIEWER = apiOf('viewer')

/** Without anything that the account could have. */
export const BEGINNER: Api = {
  ...OWNER,
  'GET /auth/organization/list-invitations': [],
  'GET /bulk/jobs': [],
  'GET /bulk/uploads': [],
  'GET /keys': [],
  'GET /ledger': [],
  'GET /overrides': [],
  'GET /overview': accounts.NEW_OVERVIEW,
  'GET /requests': accounts.NO_REQUESTS,
  'GET /usage': accounts.NO_USAGE,
  'GET /webhooks': [],
  'GET /webhooks/:webhook/deliveries': [],
}

export const OPERATOR: Api = {
  ...OWNER,
  'GET /session': users.OPERATOR_SESSION,
  'GET /operator/accounts': operators.ACCOUNTS,
  'GET /operator/audit-log': accounts.AUDIT_LOG,
  'GET /operator/doctor': operators.DOCTOR,
  'GET /operator/egress': operators.EGRESSES,
  'GET /operator/health': operators.HEALTH,
  'GET /operator/opt-outs': operators.OPT_OUTS,
  'GET /operator/providers': operators.PROVIDERS,
  'GET /operator/queues': operators.QUEUES,
  'GET /operator/replies': operators.REPLIES,
  'GET /operator/reviews': operators.REVIEWS,
}
