/** Errors that only routes of the web app return, where a user is signed in with a session. They are not part of the public API. */
export const SESSION_PROBLEMS = {
  unauthenticated: {
    status: 401,
    title: 'Authentication required',
    advice: 'Sign in and try again. A session expires after 12 hours without use, and after a week at the latest.',
  },
  missing_role: {
    status: 403,
    title: 'Insufficient role',
    advice: 'Ask an owner or an admin of the account to do it, or to change your role.',
  },
  two_factor_required: {
    status: 403,
    title: 'Two-factor authentication required',
    advice: 'Enable two-factor authentication under Settings, Security, then open the operator pages again.',
  },
  code_required: {
    status: 403,
    title: 'Recent 2FA code required',
    advice: 'Enter a code of the authenticator app, then send the request again within 15 minutes.',
  },
  cross_site_request: {
    status: 403,
    title: 'Cross-site request rejected',
    advice: 'Use the API with a key in programs. In a browser, open the web app at its own URL.',
  },
  signup_disabled: {
    status: 403,
    title: 'Sign-up by invitation only',
    advice: 'Ask a member of an account for an invitation and open the link in it.',
  },
  account_creation_closed: {
    status: 403,
    title: 'Account creation by operators only',
    advice: 'Ask an operator of the installation to create the account and to invite you.',
  },
  not_configured: {
    status: 404,
    title: 'Feature not configured',
    advice: 'Contact the operator of the installation, who can set it up.',
  },
  last_owner: {
    status: 409,
    title: 'Last owner of the account',
    advice: 'Make another member an owner first.',
  },
  already_subscribed: {
    status: 409,
    title: 'Subscription already active',
    advice: 'Change or cancel the subscription in the billing portal.',
  },
  too_many_accounts: {
    status: 409,
    title: 'Account limit reached',
    advice: 'Use an existing account. A user can own at most 20.',
  },
  ip_lockout: {
    status: 409,
    title: 'Change would lock you out',
    advice: 'Add your current IP address to the list, or set `confirmed` to true to proceed.',
  },
  weak_password: {
    status: 422,
    title: 'Weak password',
    advice: 'Choose a password of at least 12 characters that is not among the most common ones.',
  },
} as const satisfies Record<string, { status: number; title: string; advice: string }>
