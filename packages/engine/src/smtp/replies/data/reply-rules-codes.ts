import type { ReplyRule } from '../rules.ts'

/**
 * Used when no text rule matched: vague texts, then the enhanced code (RFC 3463 and its registry), then the basic code (RFC 5321 §4.2.3).
 * A bare 550 or 554 has no rule, because servers use it for any reason; neither has 5.4.1.
 */
export const LAST_RESORT_RULES: ReplyRule[] = [
  {
    stage: 'any',
    code: '5',
    says: /access (?:is )?denied/,
    reason: 'ip_blocked',
    scope: 'egress',
    seen: '554 Access denied',
  },
  {
    stage: 'any',
    code: '5',
    says: /auth(?:entication)? (?:is )?(?:required|needed)|not authenticated|must (?:first )?(?:authenticate|log ?in)/,
    reason: 'sender_rejected',
    scope: 'egress',
    seen: '530 5.7.1 Client was not authenticated',
  },
  {
    stage: 'any',
    says: /(?:internal|local|server|system|temporary|lookup|database|configuration|dns)(?: \w{1,20})? (?:error|problem|failure|failed)|(?:service|system|resources?)(?: is| are)?(?: currently| temporarily)? (?:unavailable|not available|restricted)/,
    reason: 'server_error',
    scope: 'connection',
    seen: '451 4.3.0 Temporary lookup failure',
  },
  {
    stage: 'rcpt',
    code: '45',
    says: /(?:try|come back|retry)(?: again)?(?: \w{1,10})? later|temporarily (?:deferred|rejected)/,
    reason: 'greylisted',
    scope: 'mailbox',
    seen: '450 4.7.1 <ada@example.com>: Recipient address rejected: Please try again later',
  },
  // Enhanced codes.
  { stage: 'early', enhanced: '5.7.*', reason: 'ip_blocked', scope: 'egress', seen: '554 5.7.1 No' },
  { stage: 'any', enhanced: '4.3.*', reason: 'server_error', scope: 'connection', seen: '451 4.3.5 Not today' },
  { stage: 'any', enhanced: '4.4.*', reason: 'server_error', scope: 'connection', seen: '451 4.4.1 Not today' },
  { stage: 'any', enhanced: '5.3.*', reason: 'server_error', scope: 'connection', seen: '554 5.3.0 Not today' },
  {
    stage: 'rcpt',
    enhanced: 'x.2.2',
    reason: 'mailbox_full',
    scope: 'mailbox',
    seen: '452 4.2.2 Nothing fits',
  },
  {
    stage: 'rcpt',
    code: '55',
    enhanced: '5.1.1',
    reason: 'mailbox_not_found',
    scope: 'mailbox',
    seen: '550 5.1.1 Sorry',
  },
  {
    stage: 'rcpt',
    code: '55',
    enhanced: '5.1.2',
    reason: 'domain_not_hosted',
    scope: 'domain',
    seen: '550 5.1.2 Sorry',
  },
  {
    stage: 'rcpt',
    code: '55',
    enhanced: '5.1.3',
    reason: 'mailbox_not_found',
    scope: 'mailbox',
    seen: '553 5.1.3 Sorry',
  },
  { stage: 'rcpt', code: '55', enhanced: '5.1.6', reason: 'mailbox_moved', scope: 'mailbox', seen: '550 5.1.6 Sorry' },
  {
    stage: 'rcpt',
    code: '55',
    enhanced: '5.1.10',
    reason: 'domain_not_hosted',
    scope: 'domain',
    seen: '550 5.1.10 Sorry',
  },
  {
    stage: 'rcpt',
    code: '55',
    enhanced: '5.2.1',
    reason: 'mailbox_disabled',
    scope: 'mailbox',
    seen: '550 5.2.1 Sorry',
  },
  { stage: 'rcpt', enhanced: '5.7.*', reason: 'policy_rejected', scope: 'mailbox', seen: '550 5.7.1 Sorry' },
  // Basic codes.
  { stage: 'rcpt', code: '556', reason: 'domain_not_hosted', scope: 'domain', seen: '556 Sorry' },
  { stage: 'any', code: '421', reason: 'server_error', scope: 'connection', seen: '421 Closing' },
  { stage: 'any', code: '451', reason: 'server_error', scope: 'connection', seen: '451 Sorry' },
  { stage: 'any', code: '452', reason: 'server_error', scope: 'connection', seen: '452 Sorry' },
  { stage: 'early', code: '521', reason: 'server_error', scope: 'connection', seen: '521 No mail here' },
]
