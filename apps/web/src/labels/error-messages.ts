import type { RequestFailed } from '../session/client.ts'

/** Messages for errors of the auth library. Other errors have a message of the service. */
const WORDS: Record<string, string> = {
  account_temporarily_locked: 'Too many wrong codes. Try again in 15 minutes.',
  email_not_verified: 'The email address is not verified yet.',
  invalid_backup_code: 'Invalid or already used recovery code.',
  invalid_code: 'Invalid or already used code. Codes change every 30 seconds: enter the latest one.',
  invalid_email: 'Enter a valid email address.',
  invalid_email_or_password: 'The email address or the password is incorrect.',
  invalid_password: 'The password is incorrect.',
  invalid_token: 'The link was already used or has expired.',
  invalid_two_factor_cookie: 'The sign-in has expired. Start again with your password.',
  invitation_limit_reached: 'The account has too many pending invitations. Revoke some of them first.',
  invitation_not_found: 'The invitation was already used or revoked, or has expired.',
  last_owner: 'An account must have at least one owner. Make another member an owner first.',
  member_not_found: 'This user is no longer a member of the account.',
  unauthenticated: 'Your session has ended. Sign in again.',
  organization_membership_limit_reached: 'Member limit reached.',
  overloaded: 'The service is busy. Try again in a moment.',
  rate_limited: 'Too many requests. Wait a minute and try again.',
  session_not_fresh: 'You signed in more than a day ago. Sign in again to continue.',
  token_expired: 'The link has expired.',
  too_many_attempts_request_new_code: 'Too many wrong codes. Start again with your password.',
  unauthorized: 'Your session has ended. Sign in again.',
  user_is_already_a_member_of_this_organization: 'This user is already a member.',
  you_are_not_allowed_to_invite_user_with_this_role: 'Only owners can invite owners.',
  you_are_not_allowed_to_update_this_member: 'Only owners can change the role of an owner.',
  you_are_not_the_recipient_of_the_invitation: 'The invitation was sent to a different email address.',
  you_cannot_leave_the_organization_as_the_only_owner:
    'An account must have at least one owner. Make another member an owner first.',
  you_cannot_leave_the_organization_without_an_owner:
    'An account must have at least one owner. Make another member an owner first.',
}

export function describeError({ code, message }: RequestFailed): string {
  return WORDS[code] ?? message
}
