import { reasonLabel } from '@probity/contract/constants/labels'
import type { RequestLogEntryDetail } from '@probity/sdk'
import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import { VerdictBadge } from '../../../labels/verdict.tsx'
import { useScene } from '../../../session/workspace.ts'
import { buttonClass, CopyButton } from '../../../ui/Button.tsx'
import { CodeTabs } from '../../../ui/Code.tsx'
import { DateTime } from '../../../ui/DateTime.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { formatCharge, formatMs } from '../../../ui/format.ts'
import { PageFrame } from '../../../ui/States.tsx'
import { ResultDetails } from '../../validations/result/ResultDetails.tsx'
import { StatusBadge } from './RequestsTable.tsx'
import { requestSnippets } from './request-snippets.ts'
import { requestQuery, useRequestsSearch } from './requests-query.ts'

/** The details of one request. Open while the URL names the request. */
export function RequestDrawer() {
  const { search, turn } = useRequestsSearch()
  const { request, ...rest } = search
  if (request === undefined) return null
  return <OpenRequest id={request} onClose={() => turn(rest, { replace: true })} />
}

function OpenRequest({ id, onClose }: { id: string; onClose(): void }) {
  const query = useQuery(requestQuery(useScene(), id))
  const { data, error } = query
  const title = data ? `${data.method} ${data.route}` : 'Request'
  return (
    <Dialog drawer open onClose={onClose} title={title}>
      <PageFrame query={query} failed="This request could not be loaded" loading="Loading request" lines={8}>
        {(request) => <Details request={request} />}
      </PageFrame>
      {!data && error && (
        <p className="text-center text-soft">
          It may belong to the other mode or another account, or it may have expired.
        </p>
      )}
    </Dialog>
  )
}

const SOURCES: Record<string, string> = {
  api: 'API client',
  page: 'Web page (publishable key)',
  mcp: 'MCP tool',
}

function Details({ request }: { request: RequestLogEntryDetail }) {
  const { id, http_status: status, code, result_status: verdict, duration_ms: took, credits, source } = request
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-center gap-2">
        <StatusBadge status={status} />
        {code && <code className="font-mono text-[0.8125rem]">{code}</code>}
        {verdict && <VerdictBadge status={verdict} />}
        {request.sub_status && <span className="text-[0.8125rem] text-soft">{reasonLabel(request.sub_status)}</span>}
      </div>
      {code && <ErrorDocs code={code} />}
      <dl className="grid grid-cols-1 gap-3 text-[0.8125rem] sm:grid-cols-2 [&_dt]:text-faint">
        <div className="sm:col-span-2">
          <dt>Request ID</dt>
          <dd className="flex items-center gap-1">
            <code className="font-mono break-all">{id}</code>
            <CopyButton text={id} label="Copy request ID" />
          </dd>
        </div>
        <Fact name="Received">
          <DateTime at={request.occurred_at} seconds />
        </Fact>
        <Fact name="Duration">{formatMs(took)}</Fact>
        <Fact name="Key">{request.key_name ?? 'Deleted key'}</Fact>
        <Fact name="Source">{SOURCES[source] ?? source}</Fact>
        <Fact name="Charged">{credits === null ? '–' : formatCharge(credits, request.livemode)}</Fact>
        <Fact name="Mode">{request.livemode ? 'Live' : 'Test'}</Fact>
      </dl>
      <Again request={request} />
      {verdict && <Found request={request} />}
    </div>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="[overflow-wrap:anywhere]">{children}</dd>
    </div>
  )
}

function ErrorDocs({ code }: { code: string }) {
  return (
    <a href={`/docs/errors#${code}`} className={buttonClass('secondary', 'sm', 'self-start')}>
      Open error documentation
      <ExternalLink className="size-4" aria-hidden="true" />
    </a>
  )
}

function Again({ request: { method, route, livemode } }: { request: RequestLogEntryDetail }) {
  const email = livemode ? 'ada@example.com' : 'valid@example.com'
  const snippets = requestSnippets({ host: window.location.origin, method, route, email })
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-semibold">Repeat request</h3>
      <p className="text-[0.8125rem] text-soft">
        Request bodies are not stored. Replace the example values with your own.
      </p>
      <CodeTabs label="Request as code" snippets={snippets} />
    </section>
  )
}

/** The result with the address, until it expires, for members with the scope to validate. */
function Found({ request: { result, livemode } }: { request: RequestLogEntryDetail }) {
  return (
    <section className="flex flex-col gap-3">
      <h3 className="font-semibold">Result</h3>
      {result ? (
        <ResultDetails result={{ ...result, row: 1, position: 1 }} />
      ) : (
        <p className="text-soft">
          {livemode
            ? 'The result has expired, or your role does not allow you to view results.'
            : 'Test mode results are not stored.'}
        </p>
      )}
    </section>
  )
}
