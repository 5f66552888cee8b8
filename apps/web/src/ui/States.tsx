import { CircleAlert, Lock, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { asRequestFailed } from '../session/client.ts'
import { Button, CopyButton } from './Button.tsx'

type EmptyProps = { icon: ReactNode; title: string; children?: ReactNode; action?: ReactNode }

/** Explains why there is no data, and what to do. */
export function EmptyState({ icon, title, children, action }: EmptyProps) {
  return (
    <div className="flex flex-col items-center gap-3 px-4 py-12 text-center">
      <div className="grid size-11 place-items-center rounded-full bg-accent-soft text-accent-text [&_svg]:size-5">
        {icon}
      </div>
      <h2 className="text-base font-semibold">{title}</h2>
      {children && <div className="max-w-md text-balance text-soft">{children}</div>}
      {action && <div className="mt-1 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}

/** What failed, what to do, and the request ID for support. */
export function ErrorState({ error, onRetry, what }: { error: unknown; onRetry?: () => void; what?: string }) {
  const { message, requestId, status, explainedAt } = asRequestFailed(error)
  const title = status === 404 ? 'Not found' : (what ?? 'The data could not be loaded')
  return (
    <div role="alert" className="flex flex-col items-center gap-3 px-4 py-10 text-center">
      <div className="grid size-11 place-items-center rounded-full bg-invalid-soft text-invalid">
        <CircleAlert className="size-5" aria-hidden="true" />
      </div>
      <h2 className="text-base font-semibold">{title}</h2>
      <p className="max-w-md text-balance text-soft">
        {status === 404 ? 'It was deleted, or it belongs to another account or mode.' : message}
      </p>
      {requestId && (
        <div className="flex max-w-full flex-wrap items-center justify-center gap-x-3 gap-y-1 text-[0.8125rem] text-faint">
          <p>
            Request ID: <code className="font-mono break-all">{requestId}</code>{' '}
            <span className="inline-block align-middle">
              <CopyButton text={requestId} label="Copy request ID" />
            </span>
          </p>
          {explainedAt?.startsWith('/docs/') && (
            <a href={explainedAt} className="inline-flex min-h-6 items-center underline underline-offset-2">
              Error documentation
            </a>
          )}
        </div>
      )}
      {onRetry && (
        <Button onClick={onRetry} icon={<RotateCw className="size-4" aria-hidden="true" />}>
          Try again
        </Button>
      )}
    </div>
  )
}

type PageFrameProps<T> = {
  query: { data: T | undefined; error: unknown; refetch(): unknown }
  /** Title of the error. */
  failed?: string
  /** Label of the placeholder while data is loading. */
  loading?: string
  lines?: number
  /** A missing permission, shown instead of everything else. */
  permission?: { may: boolean; what: string; roles: string }
  /** Shown if the data has no entries. */
  empty?: { when(data: T): boolean; state: ReactNode }
  children?(data: T): ReactNode
}

/** The states of a page or card with data: no permission, loading, failed, empty, loaded. Loaded data stays if a refresh fails. */
export function PageFrame<T>({ query, failed, loading, lines, permission, empty, children }: PageFrameProps<T>) {
  if (permission?.may === false) return <NoPermission what={permission.what} roles={permission.roles} />
  const { data, error, refetch } = query
  if (data !== undefined) return empty?.when(data) ? empty.state : children?.(data)
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} {...(failed && { what: failed })} />
  return <Skeleton {...(lines && { lines })} {...(loading && { label: loading })} />
}

/** Names the roles that are permitted to do this. */
export function NoPermission({ what, roles }: { what: string; roles: string }) {
  return (
    <EmptyState icon={<Lock aria-hidden="true" />} title={`You cannot ${what}`}>
      <p>This requires the role {roles}. Ask an owner of the account to change your role.</p>
    </EmptyState>
  )
}

/** Placeholder lines while data is loading. */
export function Skeleton({ lines = 3, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-3 py-2">
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className="skeleton h-5" style={{ width: `${96 - ((line * 17) % 42)}%` }} />
      ))}
    </div>
  )
}
