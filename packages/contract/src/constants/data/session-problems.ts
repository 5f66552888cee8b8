import type { ProblemText } from './problems.ts'

/** Errors that only routes of the web app return, where a user is signed in with a session. They are not part of the public API. */
export const SESSION_PROBLEMS = {
  unauthenticated: {
    status: 401,
    title: 'Authentication required',
    detail:
      'The request has no valid session. A session expires after 12 hours without use, and after a week at the latest.',
    advice: 'Sign in and try again.',
  },
  missing_role: {
    status: 403,
    title: 'Insufficient role',
    detail: 'Your role in the account does not allow this.',
    advice: 'Ask an owner or an admin of the account to do it, or to change your role.',
  },
  two_factor_required: {
    status: 403,
    title: 'Two-factor authentication required',
    detail: 'The operator pages require two-factor authentication.',
    advice: 'Enable two-factor authentication under Settings, Security, then open the operator pages again.',
  },
  code_required: {
    status: 403,
    title: 'Recent 2FA code required',
    detail: 'Your last 2FA code is older than 15 minutes.',
    advice: 'Enter a code of the authenticator app, then send the request again within 15 minutes.',
  },
  new_sign_in_required: {
    status: 403,
    title: 'New sign-in required',
    detail: 'The session did not start with a code of the current second factor.',
    advice: 'Sign out, sign in with your password and a 2FA code, then send the request again.',
  },
  cross_site_request: {
    status: 403,
    title: 'Cross-site request rejected',
    detail: 'The request comes from a page of another site.',
    advice: 'Use the API with a key in programs. In a browser, open the web app at its own URL.',
  },
  signup_disabled: {
    status: 403,
    title: 'Sign-up by invitation only',
    detail: 'Users sign up by invitation only.',
    advice: 'Ask a member of an account for an invitation and open the link in it.',
  },
  account_creation_closed: {
    status: 403,
    title: 'Account creation by operators only',
    detail: 'Only operators create accounts on this installation.',
    advice: 'Ask an operator of the installation to create the account and to invite you.',
  },
  not_configured: {
    status: 404,
    title: 'Feature not configured',
    detail: 'This feature is not set up on this installation.',
    advice: 'Contact the operator of the installation, who can set it up.',
  },
  last_owner: {
    status: 409,
    title: 'Last owner of the account',
    detail: 'You are the only owner of the account.',
    advice: 'Make another member an owner first.',
  },
  already_subscribed: {
    status: 409,
    title: 'Subscription already active',
    detail: 'The account has an active subscription.',
    advice: 'Change or cancel the subscription in the billing portal.',
  },
  too_many_accounts: {
    status: 409,
    title: 'Account limit reached',
    detail: 'You own 20 accounts. That is the limit.',
    advice: 'Use an existing account.',
  },
  ip_lockout: {
    status: 409,
    title: 'Change would lock you out',
    detail: 'The list does not contain your current IP address.',
    advice: 'Add your current IP address to the list, or set `confirmed` to true to proceed.',
  },
  weak_password: {
    status: 422,
    title: 'Weak password',
    detail: 'The password is too short or too common.',
    advice: 'Choose a password of at least 12 characters that is not among the most common ones.',
  },
} as const satisfies Record<string, ProblemText>
