import type {
  EstimateList,
  ExplainVerdict,
  Explanation,
  ListEstimate,
  StartList,
  ValidateEmail,
} from '@probity/contract/agent-tools'
import type { Job, JobCreated, JobParams } from '@probity/contract/bulk'
import { PROBLEMS } from '@probity/contract/data/problems'
import type { ProblemCode } from '@probity/contract/problem'
import type { Result } from '@probity/contract/results'
import { SUB_STATUSES, type SubStatus } from '@probity/contract/status'
import type { UploadPreview } from '@probity/contract/upload'
import type { ValidationResult } from '@probity/contract/validation'
import { stringify } from 'csv-stringify/sync'
import { Problem } from '../problem.ts'
import { askApi, type Visit } from './ask-api.ts'
import { readConfirmation, writeConfirmation } from './confirmation.ts'
import { meaningOf, nextStep } from './words.ts'

export function validateEmail(visit: Visit, { idempotency_key: key, ...payload }: ValidateEmail) {
  const headers = key === undefined ? {} : { 'idempotency-key': key }
  return askApi<ValidationResult>(visit, { method: 'POST', path: '/validation/single', payload, headers })
}

/** A list is looked at as an upload, whichever way it comes: the preview knows what it costs, and the upload becomes the job. */
export async function estimateList(visit: Visit, wish: EstimateList): Promise<ListEstimate> {
  const { services, request } = visit
  const preview = await lookAt(visit, wish)
  const { upload_id, email_column } = preview
  const agreed = { uploadId: upload_id, emailColumn: email_column }
  const { text, until } = writeConfirmation(await services.people.secret(), request.caller, agreed)
  return {
    upload_id,
    email_column,
    row_count: preview.row_count,
    email_count: preview.email_count,
    empty_count: preview.empty_count,
    not_address_count: preview.not_address_count,
    unique_count: preview.unique_count,
    duplicate_count: preview.duplicate_count,
    credits: preview.credits,
    probing: preview.probing,
    livemode: preview.livemode,
    confirmation: text,
    expires_at: until.toISOString(),
  }
}

function lookAt(visit: Visit, { emails, upload_id, email_column }: EstimateList): Promise<UploadPreview> {
  if ((emails === undefined) === (upload_id === undefined)) {
    throw new Problem('invalid_request', 'Give either emails or upload_id.')
  }
  if (upload_id === undefined) {
    const payload = formOf(emails ?? [])
    return askApi(visit, { method: 'POST', path: '/bulk/upload/preview', payload })
  }
  const query = email_column === undefined ? '' : `?${new URLSearchParams({ email_column })}`
  return askApi(visit, { method: 'GET', path: `/bulk/uploads/${upload_id}${query}` })
}

function formOf(emails: string[]): FormData {
  const rows = [['email'], ...emails.map((email) => [email])]
  const form = new FormData()
  form.append('file', new Blob([stringify(rows, { quoted: true })]), 'list-of-an-agent.csv')
  return form
}

/** Spends only what was shown: the confirmation names the very list whose cost was estimated, and nothing else starts one. */
export async function startList(visit: Visit, { confirmation, ...features }: StartList): Promise<JobCreated> {
  const { services, request } = visit
  const agreed = readConfirmation(await services.people.secret(), request.caller, confirmation)
  if (agreed === undefined) {
    throw new Problem(
      'not_found',
      'There is no such estimate, or it is older than 10 minutes. Call estimate_list again.',
    )
  }
  const payload = { upload_id: agreed.uploadId, email_column: agreed.emailColumn, ...features }
  return askApi(visit, { method: 'POST', path: '/bulk/upload/confirm', payload })
}

export function showStatus(visit: Visit, { job_id }: JobParams) {
  return askApi<Job>(visit, { method: 'GET', path: `/bulk/jobs/${job_id}` })
}

export async function explainVerdict(visit: Visit, wish: ExplainVerdict): Promise<Explanation> {
  const { job_id, row, validation_id, sub_status, problem } = wish
  const isResult = job_id !== undefined && row !== undefined
  const isHalf = (job_id === undefined) !== (row === undefined)
  const named = [validation_id, sub_status, problem].filter((one) => one !== undefined)
  const ways = (isResult ? 1 : 0) + named.length
  if (isHalf || ways !== 1) {
    throw new Problem(
      'invalid_request',
      'Give job_id and row, or validation_id, or sub_status, or problem: one of the four.',
    )
  }
  if (sub_status !== undefined) return explainReason(sub_status)
  if (problem !== undefined) return explainProblem(problem)
  if (validation_id !== undefined) return explainValidation(visit, validation_id)
  const result = await askApi<Result>(visit, { method: 'GET', path: `/bulk/jobs/${job_id}/results/${row}` })
  const { status, sub_status: code } = result
  return { code, status, meaning: meaningOf(status, code), advice: nextStep(code), result }
}

async function explainValidation(visit: Visit, id: string): Promise<Explanation> {
  const validation = await askApi<ValidationResult>(visit, { method: 'GET', path: `/validations/${id}` })
  const { status, sub_status: code } = validation
  return { code, status, meaning: meaningOf(status, code), advice: nextStep(code), validation }
}

function explainReason(code: string): Explanation {
  if (!Object.hasOwn(SUB_STATUSES, code)) throw new Problem('not_found', 'There is no such sub_status.')
  const { status, meaning } = SUB_STATUSES[code as SubStatus]
  return { code, status, meaning, advice: nextStep(code) }
}

function explainProblem(code: string): Explanation {
  if (!Object.hasOwn(PROBLEMS, code)) throw new Problem('not_found', 'There is no problem with such a code.')
  const { title, advice } = PROBLEMS[code as ProblemCode]
  return { code, meaning: `${title}.`, advice }
}
