import type { Static } from 'typebox'
import Type from 'typebox'
import { dayField } from './days.ts'
import { nullableString } from './nullable.ts'

/** Actors of audit log entries. */
export const AUDIT_ACTORS = {
  member: 'a member of the account',
  key: 'a program, with an API key',
  operator: 'an operator, on the operator pages',
  command: 'an operator, with an admin command',
  service: 'the service',
} as const satisfies Record<string, string>

export type AuditActor = keyof typeof AUDIT_ACTORS

export type AuditEntry = Static<typeof AuditEntry>
export const AuditEntry = Type.Object({
  id: Type.Integer(),
  at: Type.String({ format: 'date-time' }),
  account_id: nullableString({ format: 'uuid' }),
  account_name: Type.Optional(nullableString({})),
  actor: Type.String(),
  actor_id: nullableString({}),
  actor_name: nullableString({}),
  ip: nullableString({}),
  /** Object and action, as in `key.revoked`. Values may be added. */
  action: Type.String(),
  subject_id: nullableString({}),
  subject_name: nullableString({}),
  /** Old and new value per field; null where values are redacted. */
  changes: Type.Record(Type.String(), Type.Unknown()),
})

export type AuditLog = Static<typeof AuditLog>
export const AuditLog = Type.Object({ entries: Type.Array(AuditEntry), total: Type.Integer() })

const ACTION = '^[a-z_]{1,40}(\\.[a-z_]{1,40})?$'

const query = {
  format: Type.Optional(Type.Enum(['json', 'csv'], { type: 'string' })),
  action: Type.Optional(Type.String({ pattern: ACTION })),
  by: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  from: Type.Optional(dayField('Only entries of this day (UTC) or later.', '2026-10-04')),
  to: Type.Optional(dayField('Only entries of this day (UTC) or earlier.', '2026-11-02')),
  skip: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
}

export type AuditQuery = Static<typeof AuditQuery>
export const AuditQuery = Type.Object(query, { additionalProperties: false })

/** For operators, who may ask for one account, or for what concerns the installation. */
export type OperatorAuditQuery = Static<typeof OperatorAuditQuery>
export const OperatorAuditQuery = Type.Object(
  { ...query, account: Type.Optional(Type.String({ pattern: '^(installation|[0-9a-f-]{36})$' })) },
  { additionalProperties: false },
)
