import { type CallToolResult, fromJsonSchema, type McpServer, type ToolAnnotations } from '@modelcontextprotocol/server'
import {
  EstimateList,
  ExplainVerdict,
  Explanation,
  ListEstimate,
  StartList,
  ValidateEmail,
} from '@probity/contract/agent-tools'
import { Job, JobCreated, JobParams } from '@probity/contract/bulk'
import { ALL_PROBLEMS, type ProblemBody } from '@probity/contract/problem'
import { ValidationResult } from '@probity/contract/validation'
import type { TSchema } from 'typebox'
import { asProblem, Problem, problemBody } from '../problem.ts'
import { Refused, type Visit } from './ask-api.ts'
import { estimateList, explainVerdict, showStatus, startList, validateEmail } from './tools.ts'
import { sayEstimate, sayExplanation, sayJob, sayProblem, sayStarted, sayVerdict } from './words.ts'

type Tool<Asked, Answer> = {
  name: string
  title: string
  description: string
  annotations: ToolAnnotations
  takes: TSchema
  gives: TSchema
  run(visit: Visit, asked: Asked): Promise<Answer>
  say(answer: Answer): string
}

type Offer = (server: McpServer, visit: Visit) => void

/** The schemas are made ready once; a server is made for every message. */
function tool<Asked, Answer extends object>(parts: Tool<Asked, Answer>): Offer {
  const { name, title, description, annotations, run, say } = parts
  const inputSchema = fromJsonSchema<Asked>(parts.takes)
  const outputSchema = fromJsonSchema<Answer>(parts.gives)
  return (server, visit) => {
    server.registerTool(name, { title, description, annotations, inputSchema, outputSchema }, (asked) =>
      answerCall(visit, async () => {
        const answer = await run(visit, asked)
        return { content: [{ type: 'text', text: say(answer) }], structuredContent: { ...answer } }
      }),
    )
  }
}

const READS = { readOnlyHint: true, openWorldHint: false }

const OFFERS: Offer[] = [
  tool({
    name: 'validate_email',
    title: 'Validate an address',
    description:
      'Finds out whether mail to one address arrives, by its syntax, DNS and its mail server; no message is sent. Costs one credit, given back where the verdict ends unknown and the plan says so.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    takes: ValidateEmail,
    gives: ValidationResult,
    run: validateEmail,
    say: sayVerdict,
  }),
  tool({
    name: 'estimate_list',
    title: 'Estimate a list',
    description:
      'Says what is in a list and what validating it costs, and charges nothing. Takes up to 1,000 addresses as emails, or the upload_id of a larger file. Show the cost to the person before start_list.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    takes: EstimateList,
    gives: ListEstimate,
    run: estimateList,
    say: sayEstimate,
  }),
  tool({
    name: 'start_list',
    title: 'Start a list',
    description:
      'Has a list validated and sets its credits aside. Needs the confirmation of an estimate whose cost the person agreed to; it is good for 10 minutes and for one job. The same confirmation again gives the same job and costs nothing more.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    takes: StartList,
    gives: JobCreated,
    run: startList,
    say: sayStarted,
  }),
  tool({
    name: 'job_status',
    title: 'Show a list',
    description: 'Says how far a list has got, what came out so far and what it costs.',
    annotations: READS,
    takes: JobParams,
    gives: Job,
    run: showStatus,
    say: sayJob,
  }),
  tool({
    name: 'explain_verdict',
    title: 'Explain a verdict',
    description:
      'Says what a verdict or a problem means and what to do. Takes job_id and row for a result of a list (the first address that was given as emails is row 2), or the id of a single validation as validation_id, or a sub_status, or the code of a problem.',
    annotations: READS,
    takes: ExplainVerdict,
    gives: Explanation,
    run: explainVerdict,
    say: sayExplanation,
  }),
]

export function offerTools(server: McpServer, visit: Visit): void {
  for (const offer of OFFERS) offer(server, visit)
}

/** The last stop of what a tool throws, as answerError is for routes: the library would repeat the message of a bug to the caller. */
async function answerCall(visit: Visit, call: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await call()
  } catch (error) {
    const problem = readProblem(visit, error as Error)
    return { isError: true, content: [{ type: 'text', text: sayProblem(problem) }], _meta: { problem } }
  }
}

function readProblem({ request }: Visit, error: Error): ProblemBody {
  if (error instanceof Refused) return error.problem
  const problem = asProblem(error as Parameters<typeof asProblem>[0])
  if (ALL_PROBLEMS[problem.code].status >= 500 && !(error instanceof Problem)) {
    request.log.error({ err: error, code: problem.code }, 'request failed')
  }
  return problemBody(problem, request.id)
}
