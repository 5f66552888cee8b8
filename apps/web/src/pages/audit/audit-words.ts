/** What can be done something to, for the filter. */
export const NOUNS: Record<string, string> = {
  key: 'API keys',
  member: 'Members',
  invitation: 'Invitations',
  person: 'Signing in',
  webhook: 'Webhooks',
  policy: 'Policies',
  list: 'Lists',
  account: 'Organisation',
  export: 'Exports',
  erasure: 'Erasures',
  credits: 'Credits',
}

/** Only operators do something to these. */
export const OPERATOR_NOUNS: Record<string, string> = {
  ...NOUNS,
  provider: 'Providers',
  egress: 'Ways out',
  opt_out: 'Opted-out domains',
}

const ACTIONS: Record<string, string> = {
  'key.created': 'API key made',
  'key.rotated': 'API key rotated',
  'key.changed': 'API key changed',
  'key.paused': 'API key paused',
  'key.resumed': 'API key resumed',
  'key.revoked': 'API key revoked',
  'member.created': 'Member joined',
  'member.role_changed': 'Role changed',
  'member.deleted': 'Member removed',
  'invitation.created': 'Invited',
  'invitation.accepted': 'Invitation accepted',
  'invitation.rejected': 'Invitation declined',
  'invitation.canceled': 'Invitation withdrawn',
  'person.signed_in': 'Signed in',
  'person.sign_in_failed': 'Sign-in failed',
  'person.session_ended': 'Session ended',
  'person.email_changed': 'Email address changed',
  'person.deleted': 'Profile deleted',
  'person.password_changed': 'Password changed',
  'person.reset_link_created': 'Password reset link created',
  'person.second_factor_on': 'Second factor switched on',
  'person.second_factor_off': 'Second factor switched off',
  'person.made_operator': 'Made an operator',
  'person.unmade_operator': 'No longer an operator',
  'callback_secret.rotated': 'Callback secret rotated',
  'webhook.created': 'Webhook made',
  'webhook.changed': 'Webhook changed',
  'webhook.rotated': 'Secret of a webhook rotated',
  'webhook.enabled': 'Webhook switched on',
  'webhook.disabled': 'Webhook switched off',
  'webhook.deleted': 'Webhook removed',
  'policy.created': 'Policy made',
  'policy.changed': 'Policy changed',
  'policy.deleted': 'Policy removed',
  'list.deleted': 'List deleted',
  'list.requeued': 'List set going again',
  'list.review_released': 'List released after review',
  'list.review_canceled': 'List canceled after review',
  'account.created': 'Organisation opened',
  'account.changed': 'Organisation changed',
  'account.plan_changed': 'Plan changed',
  'account.suspended': 'Organisation suspended',
  'account.unsuspended': 'Organisation let in again',
  'account.charging_stopped': 'Charging stopped by the auditor',
  'account.charging_resumed': 'Charging resumed',
  'account.deleted': 'Organisation deleted',
  'erasure.created': 'Address erased',
  'export.account': 'All data exported',
  'export.audit_log': 'Audit log exported',
  'export.ledger': 'Credit movements exported',
  'export.results': 'Results exported',
  'credits.granted': 'Credits given',
  'credits.taken': 'Credits taken',
  'provider.paused': 'Provider paused',
  'provider.resumed': 'Provider resumed',
  'provider.rate_changed': 'Rate of a provider changed',
  'provider.suspension_lifted': 'Provider suspension lifted',
  'egress.drained': 'Way out drained',
  'egress.undrained': 'Way out used again',
  'opt_out.created': 'Domain opted out',
  'opt_out.deleted': 'Opted-out domain removed',
}

/** What was done, in words. The list is open: something new is shown by its name. */
export function actionWords(action: string): string {
  const plain = action.replaceAll(/[._]/g, ' ')
  return ACTIONS[action] ?? plain.charAt(0).toUpperCase() + plain.slice(1)
}

const ACTORS: Record<string, string> = {
  key: 'API key',
  operator: 'operator',
  command: 'command of the operator',
}

type Doer = { actor: string; actor_name: string | null }

/** Who did it: by name, and what they are where that is not a member. */
export function actorWords({ actor, actor_name }: Doer): { name: string; kind: string | undefined } {
  if (actor === 'service') return { name: 'The service', kind: undefined }
  return { name: actor_name ?? 'Somebody', kind: ACTORS[actor] }
}

/** Each change as a line: what it was and what it is, or that it changed. */
export function changeLines(changes: Record<string, unknown>): string[] {
  return Object.entries(changes).flatMap(([field, change]) => {
    const name = fieldName(field)
    if (!Array.isArray(change)) return [`${name} changed`]
    const [before, after] = change
    if (after === null && before === null) return []
    if (before === null || before === undefined) return [`${name}: ${valueWords(after)}`]
    return [`${name}: ${valueWords(before)} → ${valueWords(after)}`]
  })
}

function fieldName(field: string): string {
  const spaced = field.replace(/_at$/, '').replaceAll('_', ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

function valueWords(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
