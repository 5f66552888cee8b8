import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { Probity, ProbityApiError } from '@probity/sdk'
import { expect, test } from 'vitest'
import { openHome } from '../cli/run-cli.ts'
import { createApiClient } from '../environment/instance.ts'
import { connectAgent } from '../environment/mcp-client.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'

type Scenario = { single: string[]; many: string[]; file: { column: string; rows: string[] } }

const SCENARIO = JSON.parse(readFileSync(new URL('./scenario.json', import.meta.url), 'utf8')) as Scenario

/** A response, or the code of the problem. */
type Outcome = { answer: Record<string, unknown> } | { refused: string }

/** One client of the service. */
type Client = {
  single(email: string): Promise<Outcome>
  /** The verdicts, one for each unique address. */
  many(emails: string[]): Promise<unknown[]>
  /** Validates the file as a job and returns its CSV results. */
  file(path: string, column: string): Promise<string>
}

const run = promisify(execFile)
const folder = makeFolder('probity-scenario')
whenDone(() => removeFolder(folder))
const instance = await useSharedInstance()
const { key } = await createApiClient(instance, { credits: 0, key: { mode: 'test' } })
const { url } = instance.api

function byCurl(): Client {
  const curl = async (path: string, ...more: string[]) =>
    (await run('curl', ['-s', `${url}/api/v1${path}`, '-H', `X-API-Key: ${key}`, ...more])).stdout
  const post = (path: string, body: object) =>
    curl(path, '-H', 'Content-Type: application/json', '-d', JSON.stringify(body))
  const parse = (text: string): Outcome => {
    const answer = JSON.parse(text) as Record<string, unknown>
    return 'code' in answer ? { refused: String(answer['code']) } : { answer }
  }
  return {
    single: async (email) => parse(await post('/validation/single', { email })),
    many: async (emails) => JSON.parse(await post('/validation/bulk', { emails })).results.map(verdictOf),
    async file(path, column) {
      const { upload_id } = JSON.parse(await curl('/bulk/upload/preview', '-F', `file=@${path}`))
      const { id } = JSON.parse(await post('/bulk/upload/confirm', { upload_id, email_column: column }))
      for (let tries = 0; tries < 300; tries += 1) {
        if (JSON.parse(await curl(`/bulk/jobs/${id}`)).status === 'completed') break
        await sleep(100)
      }
      return curl(`/bulk/jobs/${id}/results?format=csv`)
    },
  }
}

function bySdk(): Client {
  const probity = new Probity({ apiKey: key, baseUrl: url, maxRetries: 0 })
  const settle = (call: Promise<object>): Promise<Outcome> =>
    call.then(
      (answer) => ({ answer: answer as Record<string, unknown> }),
      (error: unknown) => {
        if (error instanceof ProbityApiError) return { refused: error.code }
        throw error
      },
    )
  return {
    single: (email) => settle(probity.validate(email)),
    many: async (emails) => (await probity.validateBulk(emails)).results.map(verdictOf),
    async file(path, emailColumn) {
      const { upload_id: uploadId } = await probity.uploads.create(new Blob([readFileSync(path)]))
      const { id } = await probity.jobs.create(uploadId, { emailColumn })
      await probity.jobs.wait(id)
      return new Response(await probity.jobs.results.download(id, { format: 'csv' })).text()
    },
  }
}

function byCli(): Client {
  const { run: probity } = openHome({ PROBITY_BASE_URL: url, PROBITY_API_KEY: key })
  return {
    async single(email) {
      const { code, stdout, stderr } = await probity(['validate', '--json', '--', email])
      return code === 0 ? { answer: JSON.parse(stdout) } : { refused: JSON.parse(stderr).code }
    },
    async many(emails) {
      const { stdout } = await probity(['validate', '--format', 'jsonl', ...emails])
      const lines = stdout.trim().split('\n')
      return lines.map((line) => verdictOf(JSON.parse(line)))
    },
    async file(path, column) {
      const { stdout: id } = await probity(['jobs', 'create', path, '--column', column, '--watch'])
      return (await probity(['jobs', 'results', id.trim()])).stdout
    },
  }
}

/** Through the MCP tools. They transfer no files, so the upload and the download of a file use the API. */
async function byMcp(): Promise<Client> {
  const { call, get } = await connectAgent(url, key)
  const runJob = async (list: object): Promise<string> => {
    const { confirmation } = await get('estimate_job', list)
    const { id } = await get('start_job', { confirmation })
    for (let n = 0; n < 300; n += 1) {
      if ((await get('get_job', { job_id: id }))['status'] === 'completed') break
      await sleep(100)
    }
    return String(id)
  }
  const headers = { 'x-api-key': key }
  return {
    async single(email) {
      const result = await call('validate_email', { email })
      return 'data' in result ? { answer: result.data } : { refused: result.problem }
    },
    async many(emails) {
      const { data } = await get('list_job_results', { job_id: await runJob({ emails }), limit: 100 })
      return (data as Verdict[]).map(verdictOf)
    },
    async file(path, column) {
      const form = new FormData()
      form.append('file', new Blob([readFileSync(path)]), 'list.csv')
      const response = await fetch(`${url}/api/v1/bulk/upload/preview`, { method: 'POST', headers, body: form })
      const { upload_id } = (await response.json()) as { upload_id: string }
      const jobId = await runJob({ upload_id, email_column: column })
      return (await fetch(`${url}/api/v1/bulk/jobs/${jobId}/results?format=csv`, { headers })).text()
    },
  }
}

type Verdict = { email: string; status: string; sub_status: string; confidence: number }

/** The fields that bulk results and single results share. */
function verdictOf({ email, status, sub_status, confidence }: Verdict): Verdict {
  return { email, status, sub_status, confidence }
}

/** Without the fields that are unique to one response. */
function withoutIds(outcome: Outcome): unknown {
  if ('refused' in outcome) return outcome
  const { id: _, performance: __, metadata: ___, evidence = [], ...rest } = outcome.answer
  const found = (evidence as object[]).map((item) => ({ ...item, checked_at: '', duration_ms: 0 }))
  return { ...rest, evidence: found }
}

test('the same scenario has the same results with curl, the SDK, the CLI and MCP', async () => {
  const path = join(folder, 'list.csv')
  writeFileSync(path, `${SCENARIO.file.rows.join('\n')}\n`)
  const clients = [byCurl(), bySdk(), byCli(), await byMcp()]
  // All clients validate an address before the next one: a deferred address has its result half a minute later.
  const singles = []
  for (const email of SCENARIO.single) {
    const outcomes = []
    for (const client of clients) outcomes.push(withoutIds(await client.single(email)))
    singles.push(outcomes)
  }
  const answers = []
  for (const [n, client] of clients.entries()) {
    const single = singles.map((outcomes) => outcomes[n])
    answers.push({
      single,
      many: await client.many(SCENARIO.many),
      file: await client.file(path, SCENARIO.file.column),
    })
  }
  const [first, ...others] = answers
  for (const other of others) expect(other).toEqual(first)

  expect(first?.single[0]).toMatchObject({ status: 'valid', livemode: false })
  expect(first?.single.at(-1)).toEqual({ refused: 'service_unavailable' })
  expect(first?.many).toHaveLength(4)
  expect(first?.file).toContain('Ada again')
  expect(first?.file.trim().split('\n')).toHaveLength(SCENARIO.file.rows.length)
})
