import { useNavigate, useSearch } from '@tanstack/react-router'
import { rolesFor, useMay } from '../../../session/may.ts'
import { sceneHeaders } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { Card } from '../../../ui/Card.tsx'
import { NoPermission } from '../../../ui/States.tsx'
import { AuditLogCard } from './AuditLogCard.tsx'
import type { AuditSearch } from './audit-search.ts'
import { NOUNS } from './audit-words.ts'

/** The account's audit log, for its owners and admins. */
export function OwnAuditLog() {
  const { key, membership, mode } = useScene()
  const search = useSearch({ from: '/shell/settings/audit-log' })
  const navigate = useNavigate({ from: '/settings/audit-log' })
  if (!useMay('account:write')) {
    return (
      <Card title="Audit log">
        <NoPermission what="view the audit log" roles={rolesFor('account:write')} />
      </Card>
    )
  }
  const headers = sceneHeaders({ accountId: membership.account_id, mode })
  const onSearch = (next: AuditSearch) =>
    void navigate({ search: (now) => ({ mode: now.mode, org: now.org, ...next }), replace: true, resetScroll: false })
  return (
    <AuditLogCard
      about="Actions in this account, with actor, IP address and time. Entries are kept for one year and cannot be changed or removed."
      source={{ path: '/audit-log', key, headers }}
      search={search}
      nouns={NOUNS}
      onSearch={onSearch}
    />
  )
}
