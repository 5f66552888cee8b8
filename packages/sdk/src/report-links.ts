import type { CreateReportLinkRequest, ReportLink, ReportLinkWithUrl } from './generated/api-types.ts'
import { splitOptions, toBody } from './http/request-body.ts'
import type { ApiPromise } from './http/response.ts'
import { deleteObject, type IdempotentRequestOptions, type RequestOptions, type Transport } from './http/transport.ts'

export type CreateReportLinkOptions = IdempotentRequestOptions & {
  /** Days until the link expires, at most 90. Default: 30. */
  expiresInDays?: number | undefined
}

/** Links to a page with the sums of a job, for readers without a login. Scopes: `jobs:read`, and `jobs:write` for changes. */
export type ReportLinksApi = {
  /** Creates a link. Its `url` is not shown again. */
  create(jobId: string, options?: CreateReportLinkOptions): ApiPromise<ReportLinkWithUrl>
  /** The links that can be opened, newest first. */
  list(jobId: string, options?: RequestOptions): ApiPromise<ReportLink[]>
  /** Revokes a link: its report can no longer be opened. */
  revoke(jobId: string, linkId: string, options?: RequestOptions): ApiPromise<void>
}

export function createReportLinksApi(transport: Transport): ReportLinksApi {
  const { request } = transport
  const pathOf = (jobId: string, ...segments: string[]) => ['bulk', 'jobs', jobId, 'report-links', ...segments]
  return {
    create(jobId, options = {}) {
      const { call, fields } = splitOptions(options)
      const json: CreateReportLinkRequest = toBody(fields)
      return request({ ...call, method: 'POST', path: pathOf(jobId), json })
    },
    list: (jobId, options = {}) => request({ ...options, method: 'GET', path: pathOf(jobId) }),
    revoke: (jobId, linkId, options) => deleteObject(transport, pathOf(jobId, linkId), options),
  }
}
