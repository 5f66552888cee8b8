import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { whenDone } from '@probity/lab/when-done'

/** What a tool said: its answer, or the code of the problem. */
export type ToolTold = { answer?: Record<string, unknown>; refused?: string }

/** A program that speaks the Model Context Protocol, connected to the tools of a running service. */
export async function openAgent(url: string, key: string) {
  const headers = { authorization: `Bearer ${key}` }
  const client = new Client({ name: 'journey', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
  whenDone(() => client.close())
  async function use(tool: string, asked: object): Promise<ToolTold> {
    const told = await client.callTool({ name: tool, arguments: { ...asked } })
    if (!told.isError) return { answer: told.structuredContent as Record<string, unknown> }
    const problem = told._meta?.['problem'] as { code: string } | undefined
    return { refused: problem?.code ?? 'no_code' }
  }
  return { use }
}
