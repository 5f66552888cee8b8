import { domainToASCII } from 'node:url'
import { expectBounces, isKept, keptReasons, PRESET_NAMES, type PresetName } from '@probity/contract/constants/jobs'
import { JobParams } from '@probity/contract/schemas/jobs/jobs'
import {
  Breakdown,
  Result,
  ResultLines,
  ResultPage,
  ResultParams,
  ResultQuery,
  ResultSheet,
  ResultsQuery,
  ResultWorkbook,
} from '@probity/contract/schemas/jobs/results'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { tallyResults } from '@probity/database/jobs/present-job'
import type { KindCount, Tallies } from '@probity/database/jobs/results/result-tallies'
import {
  findResult,
  findResultsJob,
  pageResults,
  type ResultsFilter,
  type ResultsJob,
} from '@probity/database/jobs/results/results'
import { type ResultsOrder, readOrder } from '@probity/database/jobs/results/sort-results'
import type { FileStorage } from '@probity/uploads/storage'
import {
  attachment,
  EXPORT_LIMITS,
  type Export,
  type ExportLimits,
  openExports,
} from '../../http/exports/send-export.ts'
import { MIDDLEWARE_PROBLEMS, operation } from '../../http/openapi.ts'
import { keepFilter, type Page, readPage, sendPageHeaders } from '../../http/page.ts'
import { presentResult, type Shown } from '../../http/present-result.ts'
import { found, invalidField, Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { storable } from '../../http/text.ts'
import { type Auth, noteExport, viewOf } from '../../middleware/authentication/auth.ts'
import { findNamedPolicy } from '../../middleware/find-policy.ts'
import { writeLines } from './export.ts'
import { type CsvOptions, writeCsv } from './write-csv.ts'
import { writeXlsx, XLSX_TYPE } from './write-xlsx.ts'

/** Filter of the results of a request. */
export function readFilter(query: ResultsQuery): ResultsFilter {
  const { status, sub_status, provider, domain, search, rows, preset, part = 'keep' } = query
  if (part === 'left_out') return readLeftOutFilter(query)
  if (query.part && !preset) throw invalidField('/part', 'requires a preset')
  return {
    statuses: status?.split(',') ?? [],
    subStatuses: sub_status?.split(','),
    provider: provider && storable(provider),
    // In the form that results use. An invalid domain matches none of them.
    domain: domain && (domainToASCII(domain) || storable(domain)),
    search: search && storable(search),
    onlyRows: rows === undefined ? undefined : new Set(rows.split(',').map(Number)),
    plan: preset && { preset, part },
  }
}

/** The rows that were left out have no results, so no other filter applies. */
function readLeftOutFilter(query: ResultsQuery): ResultsFilter {
  if (query.format !== 'csv' && query.format !== 'xlsx') throw invalidField('/part', 'requires the format csv or xlsx')
  const given = FILTERS.filter((name) => name !== 'part' && query[name] !== undefined && query[name] !== false)
  const [other] = given.filter((name) => !(name === 'sort' && query.sort === 'row'))
  if (other !== undefined) throw invalidField(`/${other}`, 'does not apply to rows that were left out')
  return { statuses: [] }
}

const FILTERS = [
  'status',
  'sub_status',
  'provider',
  'domain',
  'search',
  'rows',
  'preset',
  'part',
  'policy',
  'evidence',
  'sort',
] as const

/** The filter as query parameters, for the links to other pages. */
export function repeatFilter(query: ResultsQuery): Record<string, string> {
  const given = FILTERS.filter((name) => query[name] !== undefined && query[name] !== false)
  return Object.fromEntries(given.map((name) => [name, String(query[name])]))
}

/** Returns a job of the client whose results have not expired. */
export async function getResultsJob(db: Db, auth: Auth, jobId: string): Promise<ResultsJob> {
  const job = found(await inTenant(db, auth.accountId, (trx) => findResultsJob(trx, viewOf(auth), jobId)))
  if (job.isExpired) throw new Problem('results_expired')
  return job
}

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
          'One result per unique address, in the order of the rows of the file; `sort` changes the order of `json`. While the job is in progress, the results so far. `csv`, `xlsx` and `ndjson` are streamed; a response that is interrupted is incomplete. `csv` and `xlsx` are available for 7 days, until the uploaded file is deleted.',
        problems: ['invalid_request', 'not_found', 'file_removed', 'results_expired', ...MIDDLEWARE_PROBLEMS],
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
        const { skip, limit, filter, order } = wanted
        const { results, total } = await inTenant(services.db, auth.accountId, (trx) =>
          pageResults(trx, job, { ...filter, skip, limit, order }),
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
    [XLSX_TYPE]: { schema: ResultWorkbook },
  },
}

type SheetForm = Pick<CsvOptions, 'bom' | 'isFormulaSafe' | 'isUnique' | 'hasOwnColumns' | 'isLeftOut'>

type Wanted = Page &
  Shown & {
    format: 'json' | 'ndjson' | 'csv' | 'xlsx'
    /** The content, for the file name. */
    content: string
    filter: ResultsFilter
    order: ResultsOrder | undefined
    sheet: SheetForm
  }

function readWanted(query: ResultsQuery): Wanted {
  const { format = 'json', sort = 'row', evidence = false } = query
  return {
    format,
    filter: readFilter(query),
    order: readOrder(sort),
    evidence,
    content: contentOf(query),
    sheet: readSheetForm(query),
    ...readPage(query),
  }
}

function readSheetForm(query: ResultsQuery): SheetForm {
  const { bom = false, keep_bom: keepBom = false, formula_safe: isFormulaSafe = true } = query
  const { unique: isUnique = false, own_columns: hasOwnColumns = false } = query
  return {
    bom: bom ? 'always' : keepBom ? 'as_uploaded' : 'never',
    isFormulaSafe,
    isUnique,
    hasOwnColumns,
    isLeftOut: query.part === 'left_out',
  }
}

/** Names the file by its content, so that a keep file is not mistaken for a remove file. */
function contentOf({ preset, part = 'keep', status }: ResultsQuery): string {
  if (part === 'left_out') return 'left-out'
  if (preset !== undefined) return `to-${part}-${preset.replaceAll('_', '-')}`
  return status === undefined ? 'results' : status.replaceAll(',', '-')
}

function chooseExport(services: ResultsDependencies, job: ResultsJob, wanted: Wanted): Export {
  if (wanted.format === 'ndjson') {
    const disposition = attachment(job.filename, { content: wanted.content, ending: 'ndjson' })
    return { type: 'application/x-ndjson', disposition, chunks: writeLines(services.db, job, wanted) }
  }
  const { file } = job
  if (file === null) throw new Problem('file_removed')
  const form = { ...wanted, ...wanted.sheet }
  const disposition = attachment(job.filename, {
    content: wanted.content,
    ending: wanted.format === 'xlsx' ? 'xlsx' : 'csv',
  })
  if (wanted.format === 'xlsx') {
    return { type: XLSX_TYPE, disposition, chunks: writeXlsx(services, { ...job, file }, form) }
  }
  return { type: 'text/csv; charset=utf-8', disposition, chunks: writeCsv(services, { ...job, file }, form) }
}

/** One result of a job, with its evidence. */
export const showResult: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'getJobResult',
      tag: 'Jobs',
      summary: 'Get one result of a job',
      description:
        'The result of an address that first occurs in this row of the file, with `details`, `catchall`, `ai_enhancement` and `evidence`. A row that repeats an earlier address, or has no result yet, is not found.',
      problems: ['invalid_request', 'not_found', 'results_expired', ...MIDDLEWARE_PROBLEMS],
    },
    { params: ResultParams, querystring: ResultQuery, response: { 200: Result } },
  )
  const options = { schema, config: { scope: 'jobs:read' } } as const
  app.get('/bulk/jobs/:job_id/results/:row', options, async ({ auth, params, query }) => {
    const job = await getResultsJob(db, auth, params.job_id)
    const { position } = query
    const value = { row: params.row, position: position === undefined ? undefined : position - 1 }
    const result = await inTenant(db, auth.accountId, (trx) => findResult(trx, job, value))
    return presentResult(found(result), { evidence: true })
  })
}

export function presentBreakdown({ kinds, providers, domains }: Tallies): Breakdown {
  return {
    by_reason: countReasons(kinds),
    by_provider: providers,
    by_domain: domains,
    keep_plans: PRESET_NAMES.map((preset) => planOf(preset, kinds)),
  }
}

function countReasons(kinds: KindCount[]): Breakdown['by_reason'] {
  const byReason = Object.groupBy(kinds, ({ status, subStatus }) => `${status} ${subStatus}`)
  return Object.values(byReason)
    .map((same = []) => ({ status: same[0]?.status ?? '', sub_status: same[0]?.subStatus ?? '', count: sumOf(same) }))
    .toSorted((a, b) => b.count - a.count || a.sub_status.localeCompare(b.sub_status))
}

function planOf(preset: PresetName, kinds: KindCount[]): Breakdown['keep_plans'][number] {
  const kept = kinds.filter((kind) => isKept(preset, { ...kind, override: kind.override }))
  const keepCount = sumOf(kept)
  return {
    preset,
    keep_count: keepCount,
    remove_count: sumOf(kinds) - keepCount,
    expected_bounce_rate: expectBounces(kept),
    keeps: keptReasons(preset),
  }
}

function sumOf(kinds: KindCount[]): number {
  return kinds.reduce((sum, { count }) => sum + count, 0)
}

/** The breakdown of a job's results, and the effect of each preset on them. */
export const showBreakdown: Route<{ db: Db }> = async (app, { db }) => {
  const schema = operation(
    {
      id: 'getJobBreakdown',
      tag: 'Jobs',
      summary: 'Get the result counts of a job',
      description:
        'Counts by reason, provider and domain, and per preset the addresses it keeps and the expected bounce rate. To read these addresses, use `preset` and `part` of the results.',
      problems: ['invalid_request', 'not_found', 'results_expired', ...MIDDLEWARE_PROBLEMS],
    },
    { params: JobParams, response: { 200: Breakdown } },
  )
  app.get('/bulk/jobs/:job_id/breakdown', { schema, config: { scope: 'jobs:read' } }, async ({ auth, params }) => {
    const job = await getResultsJob(db, auth, params.job_id)
    return presentBreakdown(await inTenant(db, auth.accountId, (trx) => tallyResults(trx, job)))
  })
}
