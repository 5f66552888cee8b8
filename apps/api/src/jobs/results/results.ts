import { JobParams } from '@probity/contract/schemas/jobs/jobs'
import { ResultLines, ResultPage, ResultSheet, ResultsQuery } from '@probity/contract/schemas/jobs/results'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { pageResults, type ResultsFilter, type ResultsJob } from '@probity/database/jobs/results/results'
import type { FileStorage } from '@probity/uploads/storage'
import { attachment } from '../../http/exports/attachment.ts'
import { EXPORT_LIMITS, type Export, type ExportLimits, openExports } from '../../http/exports/send-export.ts'
import { DOOR_PROBLEMS, operation } from '../../http/openapi.ts'
import { keepFilter, type Page, readPage, sendPageHeaders } from '../../http/page.ts'
import { Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { noteExport } from '../../middleware/authentication/record-export.ts'
import { findNamedPolicy } from '../../middleware/find-policy.ts'
import { readFilter, repeatFilter } from './filter.ts'
import { getResultsJob } from './get-job.ts'
import { presentResult, type Shown } from './present-result.ts'
import { writeLines } from './write-lines.ts'
import { writeSheet } from './write-sheet.ts'

type ResultsDependencies = {
  db: Db
  storage: FileStorage
}

/** Results of a job, as pages or as whole files. */
export const listResults: Route<ResultsDependencies> = (app, services) => resultsWithin(EXPORT_LIMITS)(app, services)

export function resultsWithin(limits: ExportLimits): Route<ResultsDependencies> {
  return async (app, services) => {
    const schema = operation(
      {
        id: 'listJobResults',
        tag: 'Jobs',
        summary: 'List the results of a job',
        description:
          'One result per unique address, in the order of the rows of the file. While the job is in progress, the results so far. `csv` and `ndjson` are streamed; a response that is interrupted is incomplete. `csv` is available for 7 days, until the uploaded file is deleted.',
        problems: ['invalid_request', 'not_found', 'file_removed', 'results_expired', ...DOOR_PROBLEMS],
      },
      { params: JobParams, querystring: ResultsQuery, response: { 200: ANSWERS } },
    )
    const sendExport = openExports(limits)
    const options = { schema, config: { scope: 'jobs:read' }, exposeHeadRoute: false } as const
    app.get('/bulk/jobs/:job_id/results', options, async (request, reply) => {
      const { auth, params, query } = request
      const job = await getResultsJob(services.db, auth, params.job_id)
      const policy = await findNamedPolicy(services, request, query.policy)
      const wanted = { ...readWanted(query), policy }
      if (wanted.format === 'json') {
        const { skip, limit, filter } = wanted
        const { results, total } = await inTenant(services.db, auth.accountId, (trx) =>
          pageResults(trx, job, { ...filter, skip, limit }),
        )
        sendPageHeaders(reply, wanted, total)
        keepFilter(reply, repeatFilter(query))
        return results.map((one) => presentResult(one, wanted))
      }
      const file = chooseExport(services, job, wanted)
      await noteExport(services, request, { what: 'results', jobId: job.id, filename: job.filename })
      return sendExport(reply, auth.accountId, file)
    })
  }
}

const ANSWERS = {
  description: 'The results, in the requested format.',
  content: {
    'application/json': { schema: ResultPage },
    'application/x-ndjson': { schema: ResultLines },
    'text/csv': { schema: ResultSheet },
  },
}

type Wanted = Page &
  Shown & {
    format: 'json' | 'ndjson' | 'csv'
    filter: ResultsFilter
    bom: boolean
    formulaSafe: boolean
  }

function readWanted(query: ResultsQuery): Wanted {
  const { format = 'json', evidence = false, bom = false, formula_safe: formulaSafe = true } = query
  return { format, filter: readFilter(query), evidence, bom, formulaSafe, ...readPage(query) }
}

function chooseExport(services: ResultsDependencies, job: ResultsJob, wanted: Wanted): Export {
  if (wanted.format === 'ndjson') {
    const disposition = attachment(job.filename, 'ndjson')
    return { type: 'application/x-ndjson', disposition, chunks: writeLines(services.db, job, wanted) }
  }
  const { file } = job
  if (file === null) throw new Problem('file_removed')
  const disposition = attachment(job.filename, 'csv')
  return { type: 'text/csv; charset=utf-8', disposition, chunks: writeSheet(services, { ...job, file }, wanted) }
}
