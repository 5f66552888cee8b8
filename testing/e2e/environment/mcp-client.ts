import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { whenDone } from '@probity/lab/when-done'

/** The result of a tool call: its structured content, or the code of the problem. */
export type ToolResult = { data: Record<string, unknown> } | { problem: string }

/** Connects an MCP client to a running installation. */
export async function connectAgent(url: string, key: string) {
  const headers = { authorization: `Bearer ${key}` }
  const client = new Client({ name: 'e2e', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
  whenDone(() => client.close())

  async function call(tool: string, args: object): Promise<ToolResult> {
    const { isError, structuredContent, _meta } = await client.callTool({ name: tool, arguments: { ...args } })
    if (!isError) return { data: structuredContent as Record<string, unknown> }
    const problem = _meta?.['problem'] as { code: string } | undefined
    return { problem: problem?.code ?? 'no_code' }
  }

  return {
    call,
    /** Calls a tool that must succeed. */
    async get(tool: string, args: object): Promise<Record<string, unknown>> {
      const result = await call(tool, args)
      if ('problem' in result) throw new Error(`${tool} failed: ${result.problem}`)
      return result.data
    },
  }
}
