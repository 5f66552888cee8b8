import { createHmac, timingSafeEqual } from 'node:crypto'
import { PROBLEMS } from '@probity/contract/constants/data/problems'
import { CONFIRMATION_TTL_S } from '@probity/contract/constants/limits'
import type { ProblemCode } from '@probity/contract/constants/problems'
import { SUB_STATUSES, type SubStatus } from '@probity/contract/constants/validations'
import type { Job, JobCreated, JobParams } from '@probity/contract/schemas/jobs/jobs'
import type { Result } from '@probity/contract/schemas/jobs/results'
import type { UploadPreview } from '@probity/contract/schemas/jobs/uploads'
import {
  type EstimateJob,
  type ExplainResult,
  type Explanation,
  JOBS_DEFAULT,
  type JobEstimate,
  type ListJobResults,
  type ListJobs,
  RESULTS_DEFAULT,
  type StartJob,
  type ValidateEmail,
} from '@probity/contract/schemas/mcp'
import type { ValidationResult } from '@probity/contract/schemas/validations/single'
import { stringify } from 'csv-stringify/sync'
import { Problem } from '../http/problem.ts'
import type { Auth } from '../middleware/authentication/auth.ts'
import { callApi, callApiPage, type ToolContext } from './call-api.ts'
import { adviceFor, meaningOf } from './descriptions.ts'

/** The subject of a confirmation: one column of one upload. */
export type ConfirmedUpload = { uploadId: string; emailColumn: string }

type Owner = Pick<Auth, 'accountId' | 'mode'>

/**
 * A signed text that proves that an estimate was returned for this upload. Nothing is stored for it: the upload is stored already and becomes
 * one job, however often the same confirmation is sent.
 */
export function writeConfirmation(secret: string, owner: Owner, upload: ConfirmedUpload) {
  const expiresS = Math.floor(Date.now() / 1000) + CONFIRMATION_TTL_S
  const column = Buffer.from(upload.emailColumn).toString('base64url')
  const parts = [upload.uploadId, expiresS.toString(36), column]
  const text = [...parts, sign(secret, owner, parts).toString('base64url')].join('.')
  return { text, expiresAt: new Date(expiresS * 1000) }
}

const FORM = /^([0-9a-f-]{36})\.([0-9a-z]{1,9})\.([\w-]+)\.([\w-]{22})$/

/** Undefined if the signature is invalid, for another account or mode, or expired. */
export function readConfirmation(secret: string, owner: Owner, text: string): ConfirmedUpload | undefined {
  const [, uploadId = '', expires = '', column = '', signature = ''] = FORM.exec(text) ?? []
  if (signature === '') return undefined
  const expected = sign(secret, owner, [uploadId, expires, column])
  if (!timingSafeEqual(expected, Buffer.from(signature, 'base64url'))) return undefined
  if (Number.parseInt(expires, 36) * 1000 <= Date.now()) return undefined
  return { uploadId, emailColumn: Buffer.from(column, 'base64url').toString() }
}

const SIGNATURE_BYTES = 16

/** The prefix separates these signatures from those of sessions, which use the same secret. */
function sign(secret: string, { accountId, mode }: Owner, parts: string[]): Buffer {
  const content = JSON.stringify(['job estimate', accountId, mode, ...parts])
  return createHmac('sha256', secret).update(content).digest().subarray(0, SIGNATURE_BYTES)
}

export function validateEmail(context: ToolContext, { idempotency_key: key, ...payload }: ValidateEmail) {
  const headers = key === undefined ? {} : { 'idempotency-key': key }
  return callApi<ValidationResult>(context, { method: 'POST', path: '/validation/single', payload, headers })
}

/** Addresses and files are both previewed as an upload: the preview has the cost, and the upload becomes the job. */
export async function estimateJob(context: ToolContext, args: EstimateJob): Promise<JobEstimate> {
  const { services, request } = context
  const preview = await previewUpload(context, args)
  const { upload_id, email_column } = preview
  const upload = { uploadId: upload_id, emailColumn: email_column }
  const { text, expiresAt } = writeConfirmation(await services.people.secret(), request.auth, upload)
  return {
    upload_id,
    email_column,
    row_count: preview.row_count,
    line_count: preview.line_count,
    blank_count: preview.blank_count,
    empty_count: preview.empty_count,
    not_address_count: preview.not_address_count,
    left_out_count: preview.left_out_count,
    extra_address_count: preview.extra_address_count,
    email_count: preview.email_count,
    unique_count: preview.unique_count,
    duplicate_count: preview.duplicate_count,
    credits: preview.credits,
    probing: preview.probing,
    livemode: preview.livemode,
    confirmation: text,
    expires_at: expiresAt.toISOString(),
  }
}

/** As in the web app: no address is dropped silently, and a text that is not an address costs nothing. */
const CELL_OPTIONS = { several_addresses: 'all', malformed: 'skip' } as const

function previewUpload(context: ToolContext, { emails, upload_id, email_column }: EstimateJob): Promise<UploadPreview> {
  if ((emails === undefined) === (upload_id === undefined)) {
    throw new Problem('invalid_request', 'Pass either emails or upload_id.')
  }
  if (upload_id === undefined) {
    const payload = createForm(emails ?? [])
    return callApi(context, { method: 'POST', path: '/bulk/upload/preview', query: CELL_OPTIONS, payload })
  }
  const query = { ...CELL_OPTIONS, email_column }
  return callApi(context, { method: 'GET', path: `/bulk/uploads/${upload_id}`, query })
}

function createForm(emails: string[]): FormData {
  const rows = [['email'], ...emails.map((email) => [email])]
  const form = new FormData()
  form.append('file', new Blob([stringify(rows, { quoted: true })]), 'mcp-list.csv')
  return form
}

/** Charges only what was shown: the confirmation identifies the estimated upload, and no other argument starts a job. */
export async function startJob(context: ToolContext, { confirmation, ...features }: StartJob): Promise<JobCreated> {
  const { services, request } = context
  const upload = readConfirmation(await services.people.secret(), request.auth, confirmation)
  if (upload === undefined) {
    throw new Problem('not_found', 'The confirmation is invalid or older than 10 minutes. Call estimate_job again.')
  }
  const payload = { upload_id: upload.uploadId, email_column: upload.emailColumn, ...CELL_OPTIONS, ...features }
  return callApi(context, { method: 'POST', path: '/bulk/upload/confirm', payload })
}

export function getJob(context: ToolContext, { job_id }: JobParams) {
  return callApi<Job>(context, { method: 'GET', path: `/bulk/jobs/${job_id}` })
}

export function listJobs(context: ToolContext, { limit = JOBS_DEFAULT, ...filter }: ListJobs) {
  return callApiPage<Job>(context, { method: 'GET', path: '/bulk/jobs', query: { ...filter, limit } })
}

export function listJobResults(context: ToolContext, args: ListJobResults) {
  const { job_id, limit = RESULTS_DEFAULT, ...filter } = args
  return callApiPage<Result>(context, {
    method: 'GET',
    path: `/bulk/jobs/${job_id}/results`,
    query: { ...filter, limit },
  })
}

export function cancelJob(context: ToolContext, { job_id }: JobParams) {
  return callApi<Job>(context, { method: 'POST', path: `/bulk/jobs/${job_id}/cancel` })
}

export async function explainResult(context: ToolContext, args: ExplainResult): Promise<Explanation> {
  const { job_id, row, position, validation_id, sub_status, problem } = args
  const isIncomplete = (job_id === undefined) !== (row === undefined)
  const subjects = [job_id, validation_id, sub_status, problem].filter((subject) => subject !== undefined)
  if (isIncomplete || subjects.length !== 1) {
    throw new Problem('invalid_request', 'Pass exactly one of: job_id with row, validation_id, sub_status, or problem.')
  }
  if (sub_status !== undefined) return explainReason(sub_status)
  if (problem !== undefined) return explainProblem(problem)
  if (validation_id !== undefined) return explainValidation(context, validation_id)
  const path = `/bulk/jobs/${job_id}/results/${row}`
  const result = await callApi<Result>(context, { method: 'GET', path, query: { position } })
  return { ...explainVerdict(result), result }
}

async function explainValidation(context: ToolContext, id: string): Promise<Explanation> {
  const validation = await callApi<ValidationResult>(context, { method: 'GET', path: `/validations/${id}` })
  return { ...explainVerdict(validation), validation }
}

function explainVerdict({ status, sub_status: code }: Pick<Result, 'status' | 'sub_status'>) {
  return { code, status, meaning: meaningOf(status, code), advice: adviceFor(code) }
}

function explainReason(code: string): Explanation {
  if (!Object.hasOwn(SUB_STATUSES, code)) throw new Problem('not_found', 'Unknown sub_status.')
  const { status, meaning } = SUB_STATUSES[code as SubStatus]
  return { code, status, meaning, advice: adviceFor(code) }
}

function explainProblem(code: string): Explanation {
  if (!Object.hasOwn(PROBLEMS, code)) throw new Problem('not_found', 'Unknown problem code.')
  const { detail, advice } = PROBLEMS[code as ProblemCode]
  return { code, meaning: detail, advice }
}
