import { UploadList, UploadPage } from '@probity/contract/schemas/jobs/uploads'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { listDrafts } from '@probity/database/jobs/uploads'
import { DOOR_PROBLEMS, operation } from '../../http/openapi.ts'
import { readPage, sendPageHeaders } from '../../http/page.ts'
import type { Route } from '../../http/route.ts'
import { viewOf } from '../../middleware/authentication/scope.ts'
import { presentDraft } from './present.ts'

/** The account's files that wait to be confirmed, newest first. */
export const listUploads: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'listUploads',
      tag: 'Jobs',
      summary: 'List uploads',
      description:
        'Uploads that are not confirmed yet; a confirmed upload is a job. Live keys see the uploads of live mode, test keys those of test mode. The total is in `X-Total-Count`, the adjacent pages are in `Link`.',
      problems: ['invalid_request', ...DOOR_PROBLEMS],
    },
    { querystring: UploadPage, response: { 200: UploadList } },
  )
  app.get('/bulk/uploads', { schema, config: { scope: 'jobs:read' } }, async ({ auth, query }, reply) => {
    const page = readPage(query)
    const { drafts, total } = await inTenant(db, auth.accountId, (trx) => listDrafts(trx, viewOf(auth), page))
    sendPageHeaders(reply, page, total)
    return drafts.map(presentDraft)
  })
}
