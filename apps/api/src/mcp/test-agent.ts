import type { AddressInfo } from 'node:net'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { whenDone } from '@probity/lab/when-done'
import type { FastifyInstance } from 'fastify'

/** What a tool said: in words, as data, and why not where it refused. */
export type ToolAnswer = {
  words: string
  data: Record<string, unknown>
  problem: Record<string, unknown> | undefined
}

export type Agent = {
  client: Client
  use(tool: string, asked: Record<string, unknown>): Promise<ToolAnswer>
}

type Mode = NonNullable<NonNullable<ClientOptions['versionNegotiation']>['mode']>

/** Lets the api listen on loopback, once, and says where its tools are. */
export async function listen(app: FastifyInstance): Promise<string> {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/mcp`
}

/** Connects as any program does that speaks the protocol, over HTTP, with the protocol's own client. */
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
    async use(tool, asked) {
      const { content, structuredContent, isError, _meta } = await client.callTool({ name: tool, arguments: asked })
      const [first] = content
      const problem = isError ? ((_meta?.['problem'] ?? {}) as Record<string, unknown>) : undefined
      const words = first?.type === 'text' ? first.text : ''
      return { words, data: (structuredContent ?? {}) as Record<string, unknown>, problem }
    },
  }
}
