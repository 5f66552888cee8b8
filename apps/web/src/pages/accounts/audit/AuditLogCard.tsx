import { useMutation, useQuery } from '@tanstack/react-query'
import { Download, History } from 'lucide-react'
import type { ReactNode } from 'react'
import { asRequestFailed } from '../../../session/probity.ts'
import { Button } from '../../../ui/Button.tsx'
import { Callout } from '../../../ui/Callout.tsx'
import { Card } from '../../../ui/Card.tsx'
import { formatCount } from '../../../ui/format.ts'
import { Pager } from '../../../ui/Pager.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../../ui/States.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { useToasts } from '../../../ui/Toasts.tsx'
import { AuditFilters } from './AuditFilters.tsx'
import { AuditTable } from './AuditTable.tsx'
import { type AuditSource, auditQuery, ENTRIES_PER_PAGE, fetchAuditSheet } from './audit-query.ts'
import type { OperatorAuditSearch } from './audit-search.ts'

type AuditLogCardProps = {
  about: ReactNode
  source: AuditSource
  search: OperatorAuditSearch
  nouns: Record<string, string>
  /** Whether the entries belong to several accounts. */
  withAccount?: boolean
  onSearch(search: OperatorAuditSearch): void
}

/** Audit entries that match the filters in the URL. */
export function AuditLogCard({ about, source, search, nouns, withAccount = false, onSearch }: AuditLogCardProps) {
  return (
    <Card title="Audit log" about={about} actions={<SheetButton source={source} search={search} />}>
      <div className="flex flex-col gap-4">
        <AuditFilters search={search} nouns={nouns} withAccount={withAccount} onSearch={onSearch} />
        <Found source={source} search={search} withAccount={withAccount} onSearch={onSearch} />
      </div>
    </Card>
  )
}

type FoundProps = Pick<AuditLogCardProps, 'source' | 'search' | 'onSearch'> & { withAccount: boolean }

function Found({ source, search, withAccount, onSearch }: FoundProps) {
  const { data, isError, error, refetch } = useQuery(auditQuery(source, search))
  if (data === undefined) {
    return isError ? (
      <ErrorState error={error} onRetry={() => void refetch()} what="The audit log could not be loaded" />
    ) : (
      <Skeleton lines={6} label="Loading the audit log" />
    )
  }
  const { skip = 0, ...filters } = search
  const isNarrowed = Object.keys(filters).length > 0
  return (
    <div>
      {isError && <Callout kind="warning">The data could not be refreshed. It may be out of date.</Callout>}
      <p role="status" className="sr-only">
        {isNarrowed && `${formatCount(data.total, 'entry', 'entries')} found.`}
      </p>
      {data.entries.length === 0 ? (
        <EmptyState
          icon={<History aria-hidden="true" />}
          title={isNarrowed ? 'No entries match these filters' : 'No audit entries yet'}
          action={(isNarrowed || skip > 0) && <Button onClick={() => onSearch({})}>Show all entries</Button>}
        >
          {isNarrowed ? 'Change or clear the filters.' : 'Changes by members and API keys appear here.'}
        </EmptyState>
      ) : (
        <AuditTable entries={data.entries} withAccount={withAccount} />
      )}
      <Pager
        skip={skip}
        limit={ENTRIES_PER_PAGE}
        total={data.total}
        noun="entries"
        onTurn={(to) => onSearch({ ...filters, ...(to > 0 && { skip: to }) })}
      />
    </div>
  )
}

function SheetButton({ source, search }: Pick<AuditLogCardProps, 'source' | 'search'>) {
  const toasts = useToasts()
  const { mutate, isPending } = useMutation({
    mutationFn: async () => saveFile(await fetchAuditSheet(source, search), 'audit-log.csv'),
    onSuccess: () => toasts.done('audit-log.csv downloaded.'),
    onError: (error) => toasts.failed(`The file could not be downloaded. ${asRequestFailed(error).message}`),
  })
  return (
    <Button
      size="sm"
      busy={isPending}
      icon={<Download className="size-4" aria-hidden="true" />}
      onClick={() => mutate()}
    >
      Download CSV
    </Button>
  )
}
