import type { ProblemCode } from '@probity/contract/constants/problems'
import type { Account, DeletionPreview, Erasure, Network } from '@probity/contract/schemas/accounts'
import type { Billing, Checkout, LedgerEntry } from '@probity/contract/schemas/billing'
import type { JobComparison } from '@probity/contract/schemas/jobs/comparison'
import type { Job } from '@probity/contract/schemas/jobs/jobs'
import type { Report, ReportLink, ReportLinkWithUrl } from '@probity/contract/schemas/jobs/reports'
import type { Breakdown, Result } from '@probity/contract/schemas/jobs/results'
import type { NonAddress, SuggestionPage } from '@probity/contract/schemas/jobs/upload-changes'
import type { Upload, UploadPreview } from '@probity/contract/schemas/jobs/uploads'
import type { ApiKey, CreatedKey } from '@probity/contract/schemas/keys'
import type {
  AuditLog,
  DoctorReport,
  Health,
  OperatorAccounts,
  OperatorEgresses,
  OperatorOptOuts,
  OperatorProviders,
  OperatorQueues,
  OperatorReviews,
  UnclassifiedReplies,
} from '@probity/contract/schemas/operators'
import type { AddedOverrides, Override } from '@probity/contract/schemas/overrides'
import type { Policy } from '@probity/contract/schemas/policies'
import { problemExample } from '@probity/contract/schemas/problems'
import type { RequestDetail, RequestPage } from '@probity/contract/schemas/requests'
import type { Overview, Usage } from '@probity/contract/schemas/usage'
import type {
  InstallationInfo,
  Invitation,
  InvitationToken,
  NotificationSettings,
  Session,
  Sessions,
} from '@probity/contract/schemas/users'
import type { ValidationResult } from '@probity/contract/schemas/validations/single'
import type { Delivery, DeliveryDetail } from '@probity/contract/schemas/webhooks/deliveries'
import type { CallbackSecret, Webhook, WebhookWithSecret } from '@probity/contract/schemas/webhooks/endpoints'
import type { Member, OpenInvitation } from '../src/pages/users/members/members-query.ts'
import type { TwoFactorSecret } from '../src/pages/users/profile/TwoFactorCard.tsx'
import type { OwnInvitation } from '../src/shell/NoAccount.tsx'
import type { RERUN_ID } from './test-jobs.ts'

/** The routes of /app/api that pages use, each with the response of the contract. */
export type Responses = {
  'GET /account': Account
  'GET /account/callback-secret': CallbackSecret
  'GET /audit-log': AuditLog
  'GET /auth/organization/list-invitations': OpenInvitation[]
  'GET /auth/organization/list-members': { members: Member[] }
  'GET /auth/organization/list-user-invitations': OwnInvitation[]
  'GET /billing': Billing
  'GET /billing/checkout/:session': Checkout
  'GET /bulk/jobs': Job[]
  'GET /bulk/jobs/:job': Job
  'GET /bulk/jobs/:job/breakdown': Breakdown
  'GET /bulk/jobs/:job/comparison': JobComparison
  'GET /bulk/jobs/:job/events': never
  'GET /bulk/jobs/:job/results': Result[]
  'GET /bulk/jobs/:job/results/:row': Result
  'GET /bulk/uploads': Upload[]
  'GET /bulk/uploads/:upload': UploadPreview
  'GET /bulk/uploads/:upload/non-addresses': NonAddress[]
  'GET /bulk/uploads/:upload/suggestions': SuggestionPage
  'GET /deletion': DeletionPreview
  'GET /invitations/:invitation': Invitation
  'GET /invitations/:invitation/token': InvitationToken
  'GET /keys': ApiKey[]
  'GET /keys/:key': ApiKey
  'GET /ledger': LedgerEntry[]
  'GET /network': Network
  'GET /notices': NotificationSettings
  'GET /operator/accounts': OperatorAccounts
  'GET /operator/audit-log': AuditLog
  'GET /operator/doctor': DoctorReport
  'GET /operator/egress': OperatorEgresses
  'GET /operator/health': Health
  'GET /operator/opt-outs': OperatorOptOuts
  'GET /operator/providers': OperatorProviders
  'GET /operator/queues': OperatorQueues
  'GET /operator/replies': UnclassifiedReplies
  'GET /operator/reviews': OperatorReviews
  'GET /overrides': Override[]
  'GET /overview': Overview
  'GET /policies': Policy[]
  'GET /requests': RequestPage
  'GET /requests/:request': RequestDetail
  'GET /session': Session
  'GET /sessions': Sessions
  'GET /usage': Usage
  'GET /validations/:validation': ValidationResult
  'GET /webhooks': Webhook[]
  'GET /webhooks/:webhook': Webhook
  'GET /webhooks/:webhook/deliveries': Delivery[]
  'GET /webhooks/:webhook/deliveries/:delivery': DeliveryDetail
  'GET /welcome': InstallationInfo
  'PATCH /notices': NotificationSettings
  'POST /auth/request-password-reset': { status: boolean }
  'POST /auth/sign-in/email': { twoFactorRedirect: boolean }
  'POST /auth/sign-up/email': object
  'POST /auth/two-factor/disable': { status: boolean }
  'POST /auth/two-factor/enable': TwoFactorSecret
  'POST /auth/two-factor/generate-backup-codes': Pick<TwoFactorSecret, 'backupCodes'>
  'POST /bulk/upload/preview': UploadPreview
  'POST /bulk/uploads/:upload/corrections': UploadPreview
  'POST /bulk/uploads/:upload/header': UploadPreview
  'POST /erasures': Erasure
  'GET /bulk/jobs/:job/report-links': ReportLink[]
  'POST /bulk/jobs/:job/report-links': ReportLinkWithUrl
  'POST /keys': CreatedKey
  'POST /report': Report
  'POST /overrides': AddedOverrides
  'POST /validation/single': ValidationResult
  'POST /webhooks': WebhookWithSecret
} & Record<`GET /bulk/jobs/${typeof RERUN_ID}`, Job>

export type Route = keyof Responses

/** A response that is no success, or not only a body. */
type Special = () => Response | Promise<Response>
export type Api = { [R in Route]?: Responses[R] | Special }

/** A problem, as the service returns it. */
export function problem(code: ProblemCode, errors?: { pointer: string; detail: string }[]): Special {
  const body = problemExample(code, undefined, errors)
  return () =>
    Response.json(body, {
      status: body.status,
      headers: { 'content-type': 'application/problem+json', 'request-id': body.request_id },
    })
}

/** An error of the auth library, which has its own format. */
export function authError(status: number, code: string, message: string): Special {
  return () => Response.json({ code, message }, { status })
}

/** No response, as from an overloaded server. */
export const NO_RESPONSE: Special = () => new Promise(() => {})

const PREFIX = '/app/api'

/**
 * Gives these responses in place of `fetch`. Other requests of pages fail and are reported. Returns a function that restores `fetch`.
 */
export function mockFetch(api: Api, report: (unexpected: string) => void): () => void {
  const real = window.fetch
  window.fetch = async (input, init) => {
    const request = new Request(input, init)
    const { pathname } = new URL(request.url)
    if (!pathname.startsWith(PREFIX)) return real(input, init)
    const path = pathname.slice(PREFIX.length)
    const route = findRoute(Object.keys(api), request.method, path) as Route | undefined
    const response = route && api[route]
    if (response === undefined) {
      report(`${request.method} ${path} is not part of the state`)
      return Response.json({}, { status: 404 })
    }
    if (typeof response === 'function') return abortable(response(), request.signal)
    const headers = Array.isArray(response) ? { 'x-total-count': String(response.length) } : {}
    return Response.json(response, { headers })
  }
  return () => {
    window.fetch = real
  }
}

/** Routes without parameters come first: /auth/:x does not hide /auth/session. */
function findRoute(routes: string[], method: string, path: string): string | undefined {
  const exact = `${method} ${path}`
  return routes.includes(exact) ? exact : routes.find((route) => toPattern(route).test(exact))
}

function toPattern(route: string): RegExp {
  return new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`)
}

function abortable(response: Response | Promise<Response>, signal: AbortSignal): Promise<Response> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
  return Promise.race([response, aborted])
}
