import type { RequestFailed } from './ask.ts'

/** What the sign-in library answers, in our words. Whatever is not here comes from our own service, which says it well itself. */
const WORDS: Record<string, string> = {
  account_temporarily_locked: 'There were too many wrong codes. Try again in a quarter of an hour.',
  email_not_verified: 'The email address has not been confirmed yet.',
  invalid_backup_code: 'This recovery code is not right, or it was used before.',
  invalid_code: 'The code is not right, or it was used before. It changes every 30 seconds: enter the newest one.',
  invalid_email: 'This is not an email address.',
  invalid_email_or_password: 'The email address or the password is not right.',
  invalid_password: 'The password is not right.',
  invalid_token: 'The link has been used, or it is too old.',
  invalid_two_factor_cookie: 'The sign-in took too long. Begin again with your password.',
  invitation_limit_reached: 'The organisation has too many open invitations. Cancel some of them first.',
  invitation_not_found: 'The invitation has been used, taken back, or is too old.',
  last_owner: 'An organisation keeps an owner. Make somebody else an owner first.',
  member_not_found: 'This person does not belong to the organisation any more.',
  unauthenticated: 'Your session has ended. Sign in again.',
  organization_membership_limit_reached: 'The organisation has as many members as it may.',
  overloaded: 'The service has too much to do just now. Try again in a moment.',
  rate_limited: 'That was too often in a short time. Wait a minute and try again.',
  session_not_fresh: 'You signed in more than a day ago. Sign in again to see this.',
  token_expired: 'The link is too old.',
  too_many_attempts_request_new_code: 'There were too many wrong codes. Begin again with your password.',
  unauthorized: 'Your session has ended. Sign in again.',
  user_is_already_a_member_of_this_organization: 'This person is a member already.',
  you_are_not_allowed_to_invite_user_with_this_role: 'Only owners can invite owners.',
  you_are_not_allowed_to_update_this_member: 'Only owners can change the role of an owner.',
  you_are_not_the_recipient_of_the_invitation: 'The invitation was sent to another address than yours.',
  you_cannot_leave_the_organization_as_the_only_owner:
    'An organisation keeps an owner. Make somebody else an owner first.',
  you_cannot_leave_the_organization_without_an_owner:
    'An organisation keeps an owner. Make somebody else an owner first.',
}

export function plainWords({ code, message }: RequestFailed): string {
  return WORDS[code] ?? message
}
