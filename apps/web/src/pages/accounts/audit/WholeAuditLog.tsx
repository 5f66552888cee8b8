import { useNavigate, useSearch } from '@tanstack/react-router'
import { AuditLogCard } from './AuditLogCard.tsx'
import type { OperatorAuditSearch } from './audit-search.ts'
import { OPERATOR_NOUNS } from './audit-words.ts'

const SOURCE = { path: '/operator/audit-log', key: ['operator'], headers: {} }

/** The audit log of all accounts and of the installation. */
export function WholeAuditLog() {
  const search = useSearch({ from: '/shell/operator/audit-log' })
  const navigate = useNavigate({ from: '/operator/audit-log' })
  const onSearch = (next: OperatorAuditSearch) =>
    void navigate({ search: (now) => ({ mode: now.mode, org: now.org, ...next }), replace: true, resetScroll: false })
  return (
    <AuditLogCard
      about="Actions in all accounts and on the installation itself. Entries are kept for one year and cannot be changed or removed."
      source={SOURCE}
      search={search}
      nouns={OPERATOR_NOUNS}
      withAccount
      onSearch={onSearch}
    />
  )
}
