import type { AuditEntry } from '@probity/contract/schemas/operators'
import type { AuditEntry as Row } from '@probity/database/operators/audit-log'

export function presentAuditEntry(row: Row): AuditEntry {
  return {
    id: row.id,
    at: row.at.toISOString(),
    account_id: row.accountId,
    ...(row.accountName !== undefined && { account_name: row.accountName }),
    actor: row.actor,
    actor_id: row.actorId,
    actor_name: row.actorName,
    ip: row.ip,
    action: row.action,
    subject_id: row.subjectId,
    subject_name: row.subjectName,
    changes: row.changes,
  }
}
