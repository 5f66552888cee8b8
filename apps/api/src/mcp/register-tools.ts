import { type CallToolResult, fromJsonSchema, type McpServer, type ToolAnnotations } from '@modelcontextprotocol/server'
import { ALL_PROBLEMS } from '@probity/contract/constants/problems'
import { Job, JobCreated, JobParams } from '@probity/contract/schemas/jobs/jobs'
import {
  EstimateJob,
  ExplainResult,
  Explanation,
  JobEstimate,
  JobResultsPage,
  JobsPage,
  ListJobResults,
  ListJobs,
  StartJob,
  ValidateEmail,
} from '@probity/contract/schemas/mcp'
import type { ProblemBody } from '@probity/contract/schemas/problems'
import { ValidationResult } from '@probity/contract/schemas/validations/single'
import type { TSchema } from 'typebox'
import { asProblem, Problem, problemBody } from '../http/problem.ts'
import { ApiError, type ToolContext } from './call-api.ts'
import * as words from './descriptions.ts'
import * as tools from './tools.ts'

type Tool<Args, Output> = {
  name: string
  title: string
  /** When to use the tool, what it costs, what it returns and what to call next. */
  description: string
  annotations: Required<Omit<ToolAnnotations, 'title'>>
  input: TSchema
  output: TSchema
  run(context: ToolContext, args: Args): Promise<Output>
  describe(output: Output): string
}

type Registration = (server: McpServer, context: ToolContext) => void

/** The schemas are compiled once; a server is created for every message. */
function tool<Args, Output extends object>(parts: Tool<Args, Output>): Registration {
  const { name, title, description, annotations, run, describe } = parts
  const inputSchema = fromJsonSchema<Args>(parts.input)
  const outputSchema = fromJsonSchema<Output>(parts.output)
  return (server, context) => {
    server.registerTool(name, { title, description, annotations, inputSchema, outputSchema }, (args) =>
      catchErrors(context, async () => {
        const output = await run(context, args)
        return { content: [{ type: 'text', text: describe(output) }], structuredContent: { ...output } }
      }),
    )
  }
}

// Clients may run read-only tools without asking the user, and ask before the others. `openWorldHint` marks tools that contact mail servers.
const READ = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const WRITE = { ...READ, readOnlyHint: false }

const TOOLS: Registration[] = [
  tool({
    name: 'validate_email',
    title: 'Validate an address',
    description:
      'Validates one email address: syntax, DNS and an SMTP probe of its mail server, without sending a message. Use it for a single address; for several addresses use estimate_job. Costs 1 credit, or nothing with a test key; some plans refund results that are unknown. Pass idempotency_key if the call may be repeated: the repetition is not charged. Returns status (valid, invalid, risky or unknown), sub_status, deliverability, safe_to_send, did_you_mean and the evidence. If retry_at is set, the result is not final: call again at that time. Next: explain_result with the sub_status says what to do.',
    annotations: { ...WRITE, idempotentHint: false, openWorldHint: true },
    input: ValidateEmail,
    output: ValidationResult,
    run: tools.validateEmail,
    describe: words.describeResult,
  }),
  tool({
    name: 'estimate_job',
    title: 'Estimate a job',
    description:
      'Counts the addresses of a list and returns the cost of validating them. Costs nothing, validates nothing and starts nothing. It stores the addresses as an uploaded file, which is deleted after 24 hours if no job is started; therefore it is not marked as read-only. Use it before every start_job. Pass up to 1,000 addresses as emails, or the upload_id of a file that was uploaded through the API, the command line or the web app. Every address of a text is counted, typing errors such as a space before the @ are repaired, and texts that are not addresses are left out free of charge. Returns what becomes of every line, credits.quote (the cost), credits.available and a confirmation. Next: show the cost to the user; if the user agrees, call start_job with the confirmation within 10 minutes.',
    annotations: { ...WRITE, idempotentHint: false },
    input: EstimateJob,
    output: JobEstimate,
    run: tools.estimateJob,
    describe: words.describeEstimate,
  }),
  tool({
    name: 'start_job',
    title: 'Start a job',
    description:
      'Starts the validation of an estimated list as a job. Call it only after the user agreed to the cost that estimate_job returned. Costs the credits of the estimate: they are reserved now and charged per address, and unused credits are released when the job ends. The confirmation is valid for 10 minutes and starts one job; the same confirmation again returns the same job and costs nothing more. Returns the id and the status of the job. Next: get_job for the progress.',
    annotations: { ...WRITE, openWorldHint: true },
    input: StartJob,
    output: JobCreated,
    run: tools.startJob,
    describe: words.describeJobCreated,
  }),
  tool({
    name: 'get_job',
    title: 'Get a job',
    description:
      'Returns the status, progress, counts per verdict, expected end and credits of one job. Costs nothing. Use it to follow a job: wait at least 5 seconds between calls, longer if eta is far away. The job has ended if status is completed, canceled or failed. Next: list_job_results for the results, also while the job is running.',
    annotations: READ,
    input: JobParams,
    output: Job,
    run: tools.getJob,
    describe: words.describeJob,
  }),
  tool({
    name: 'list_jobs',
    title: 'List jobs',
    description:
      'Lists the jobs of the account, newest first, with status, progress and counts. Costs nothing. Use it to find the id of a job, for example one that was started elsewhere. Filter by status or by a part of the file name (search). Returns at most 100 jobs per call; if next_skip is not null, pass it as skip for the next page. Next: get_job, list_job_results or cancel_job with the id.',
    annotations: READ,
    input: ListJobs,
    output: JobsPage,
    run: tools.listJobs,
    describe: words.describeJobs,
  }),
  tool({
    name: 'list_job_results',
    title: 'List job results',
    description:
      'Lists the results of a job, one per unique address in the order of the file; of a running job, the results so far. Costs nothing. Use status (for example invalid,risky) or sub_status to read only the results that matter. Returns at most 100 results per call without evidence; total_count is the number of all that match, and next_skip, if not null, is the skip of the next page. For whole files of more than a few hundred results, tell the user to download them from the web app, the API or the command line. Next: explain_result with job_id, row and position for the evidence of one result.',
    annotations: READ,
    input: ListJobResults,
    output: JobResultsPage,
    run: tools.listJobResults,
    describe: words.describeResults,
  }),
  tool({
    name: 'cancel_job',
    title: 'Cancel a job',
    description:
      'Ends a job that has not ended. It cannot be resumed, so ask the user first. Costs nothing: results so far are kept and stay charged, and the reserved credits of the remaining addresses are released. Canceling a canceled job changes nothing; a job that is completed or failed returns the error job_finished. Returns the job. Next: list_job_results for the results so far.',
    annotations: { ...WRITE, destructiveHint: true },
    input: JobParams,
    output: Job,
    run: tools.cancelJob,
    describe: words.describeJob,
  }),
  tool({
    name: 'explain_result',
    title: 'Explain a result',
    description:
      'Explains a verdict or an error and says what to do. Costs nothing. Pass exactly one of: job_id with row (one job result with its evidence; the first address of emails is row 2), and with position if the row has several results, validation_id (the id that validate_email returned), sub_status (for example catch_all), or problem (the code of an error that a tool returned). Returns meaning and advice, and the whole result with its evidence where there is one.',
    annotations: READ,
    input: ExplainResult,
    output: Explanation,
    run: tools.explainResult,
    describe: words.describeExplanation,
  }),
]

export function registerTools(server: McpServer, context: ToolContext): void {
  for (const register of TOOLS) register(server, context)
}

/** The counterpart of the error handler of routes: the library would send the message of an unexpected error to the client. */
async function catchErrors(context: ToolContext, call: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await call()
  } catch (error) {
    const problem = readProblem(context, error as Error)
    return { isError: true, content: [{ type: 'text', text: words.describeProblem(problem) }], _meta: { problem } }
  }
}

function readProblem({ request }: ToolContext, error: Error): ProblemBody {
  if (error instanceof ApiError) return error.problem
  const problem = asProblem(error as Parameters<typeof asProblem>[0])
  if (ALL_PROBLEMS[problem.code].status >= 500 && !(error instanceof Problem)) {
    request.log.error({ err: error, code: problem.code }, 'request failed')
  }
  return problemBody(problem, request.id)
}
