import { planLabel } from '@probity/contract/constants/labels'
import { providerName } from '../../../labels/provider-names.ts'
import { describeScopes } from '../../../labels/scopes.ts'

/** Categories of actions, for the filter. */
export const NOUNS: Record<string, string> = {
  key: 'API keys',
  member: 'Members',
  invitation: 'Invitations',
  person: 'Sign-in and profile',
  webhook: 'Webhooks',
  policy: 'Policies',
  overrides: 'Allow & block lists',
  list: 'Lists',
  account: 'Account',
  export: 'Exports',
  erasure: 'Erasures',
  credits: 'Credits',
}

/** With the categories of operator actions. */
export const OPERATOR_NOUNS: Record<string, string> = {
  ...NOUNS,
  provider: 'Providers',
  egress: 'Egress',
  opt_out: 'Opted-out domains',
}

const ACTIONS: Record<string, string> = {
  'key.created': 'API key created',
  'key.rotated': 'API key rotated',
  'key.changed': 'API key changed',
  'key.paused': 'API key paused',
  'key.resumed': 'API key resumed',
  'key.revoked': 'API key revoked',
  'member.created': 'Member joined',
  'member.role_changed': 'Role changed',
  'member.deleted': 'Member removed',
  'invitation.created': 'Invitation created',
  'invitation.accepted': 'Invitation accepted',
  'invitation.rejected': 'Invitation declined',
  'invitation.canceled': 'Invitation revoked',
  'person.signed_in': 'Signed in',
  'person.sign_in_failed': 'Sign-in failed',
  'person.session_ended': 'Session ended',
  'person.email_changed': 'Email address changed',
  'person.deleted': 'Profile deleted',
  'person.password_changed': 'Password changed',
  'person.reset_link_created': 'Password reset link created',
  'person.second_factor_on': 'Two-factor authentication enabled',
  'person.second_factor_off': 'Two-factor authentication disabled',
  'person.recovery_codes_created': 'Recovery codes created',
  'person.wrong_code': 'Wrong 2FA code entered',
  'person.made_operator': 'Operator access granted',
  'person.unmade_operator': 'Operator access removed',
  'callback_secret.rotated': 'Callback secret rotated',
  'webhook.created': 'Webhook created',
  'webhook.changed': 'Webhook changed',
  'webhook.rotated': 'Webhook secret rotated',
  'webhook.enabled': 'Webhook enabled',
  'webhook.disabled': 'Webhook disabled',
  'webhook.deleted': 'Webhook deleted',
  'policy.created': 'Policy created',
  'policy.changed': 'Policy changed',
  'policy.deleted': 'Policy deleted',
  'overrides.created': 'Allow & block entries added',
  'overrides.changed': 'Allow & block entries changed',
  'overrides.deleted': 'Allow & block entries removed',
  'list.deleted': 'List deleted',
  'report_link.created': 'Report link created',
  'report_link.revoked': 'Report link revoked',
  'list.requeued': 'List requeued',
  'list.review_released': 'List released after review',
  'list.review_canceled': 'List canceled after review',
  'account.created': 'Account created',
  'account.changed': 'Account changed',
  'account.plan_changed': 'Plan changed',
  'account.suspended': 'Account suspended',
  'account.reactivated': 'Account reactivated',
  'account.charging_stopped': 'Account put on hold: ledger mismatch',
  'account.charging_resumed': 'Account hold removed',
  'account.deleted': 'Account deleted',
  'erasure.created': 'Address erased',
  'export.account': 'Account data exported',
  'export.audit_log': 'Audit log exported',
  'export.ledger': 'Credit transactions exported',
  'export.results': 'Results exported',
  'credits.granted': 'Credits added',
  'credits.taken': 'Credits deducted',
  'provider.paused': 'Provider paused',
  'provider.resumed': 'Provider resumed',
  'provider.rate_changed': 'Provider rate changed',
  'provider.suspension_lifted': 'Provider suspension lifted',
  'egress.drained': 'Egress drained',
  'egress.undrained': 'Egress resumed',
  'opt_out.created': 'Domain opted out',
  'opt_out.deleted': 'Opted-out domain removed',
}

/** The label of an action. An unknown action is shown by its name. */
export function actionWords(action: string): string {
  const plain = action.replaceAll(/[._]/g, ' ')
  return ACTIONS[action] ?? plain.charAt(0).toUpperCase() + plain.slice(1)
}

/** The name of what was changed. Providers are recorded by their id. */
export function subjectWords({ action, subject_name }: { action: string; subject_name: string | null }): string | null {
  return action.startsWith('provider.') && subject_name !== null ? providerName(subject_name) : subject_name
}

const ACTORS: Record<string, string> = {
  key: 'API key',
  operator: 'operator',
  command: 'operator CLI',
}

type Doer = { actor: string; actor_name: string | null }

/** The actor's name, and its kind if it is not a member. */
export function actorWords({ actor, actor_name }: Doer): { name: string; kind: string | undefined } {
  if (actor === 'service') return { name: 'Probity', kind: undefined }
  return { name: actor_name ?? 'Unknown user', kind: ACTORS[actor] }
}

/** Each change as a line: old and new value, or only that it changed. Times are left out: the action names their change. */
export function changeLines(changes: Record<string, unknown>): string[] {
  return Object.entries(changes).flatMap(([field, change]) => {
    const name = fieldName(field)
    if (!Array.isArray(change)) return /_(at|since)$/.test(field) ? [] : [`${name} changed`]
    const [before, after] = change
    const [old, now] = [valueWords(before, field), valueWords(after, field)]
    if (old === NONE && now === NONE) return []
    return [old === NONE && (before === null || before === undefined) ? `${name}: ${now}` : `${name}: ${old} → ${now}`]
  })
}

/** The labels of the forms in which these fields are changed. */
const FIELD_NAMES: Record<string, string> = {
  ip_allow_list: 'IP allowlist',
  kind: 'Key type',
  visitor_cap: 'Requests per visitor per hour',
  excluded_traits: 'Always exclude',
  send_threshold: 'Minimum deliverability',
  low_credits: 'Alert threshold',
  rate_percent: 'Rate (%)',
  count: 'Entries',
}

function fieldName(field: string): string {
  const known = FIELD_NAMES[field]
  if (known !== undefined) return known
  const spaced = field.replace(/_at$/, '').replaceAll('_', ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

const NONE = 'none'
/** Fields with values of an enum, which are shown with spaces. Other values are names and are shown as they are. */
const ENUM_FIELDS = ['reason', 'disabled_reason', 'excluded_traits']

function valueWords(value: unknown, field: string): string {
  if (value === null || value === undefined || value === '') return NONE
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (field === 'events' && String(value) === '*') return 'all events'
  if (field === 'plan') return planLabel(String(value))
  if (field === 'scopes' && Array.isArray(value)) return describeScopes(value.map(String))
  if (typeof value === 'object' && !Array.isArray(value)) return JSON.stringify(value)
  const text = Array.isArray(value) ? value.map(String).join(', ') || NONE : String(value)
  return ENUM_FIELDS.includes(field) ? text.replaceAll('_', ' ') : text
}
