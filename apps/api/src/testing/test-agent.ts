import type { AddressInfo } from 'node:net'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { whenDone } from '@probity/lab/when-done'
import type { FastifyInstance } from 'fastify'

/** The result of a tool call: its text, its structured content, and the problem if the call failed. */
export type ToolResult = {
  text: string
  data: Record<string, unknown>
  problem: Record<string, unknown> | undefined
}

export type Agent = {
  client: Client
  call(tool: string, args: Record<string, unknown>): Promise<ToolResult>
}

type Mode = NonNullable<NonNullable<ClientOptions['versionNegotiation']>['mode']>

/** Makes the API listen on loopback, once, and returns the URL of the MCP endpoint. */
export async function listen(app: FastifyInstance): Promise<string> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/mcp`
}

/** Connects over HTTP with the client of the protocol's own library. */
export async function connectAgent(
  app: FastifyInstance,
  headers: Record<string, string>,
  mode: Mode = 'legacy',
): Promise<Agent> {
  const transport = new StreamableHTTPClientTransport(new URL(await listen(app)), { requestInit: { headers } })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  whenDone(() => client.close())
  return {
    client,
    async call(tool, args) {
      const { content, structuredContent, isError, _meta } = await client.callTool({ name: tool, arguments: args })
      const [first] = content
      const problem = isError ? ((_meta?.['problem'] ?? {}) as Record<string, unknown>) : undefined
      const text = first?.type === 'text' ? first.text : ''
      return { text, data: (structuredContent ?? {}) as Record<string, unknown>, problem }
    },
  }
}
