/** Errors that only routes of the web app return, where a user is signed in with a session. They are not part of the public API. */
export const SESSION_PROBLEMS = {
  unauthenticated: {
    status: 401,
    title: 'Nobody is signed in',
    advice: 'Sign in and try again. A session ends after half a day without use, and after a week in any case.',
  },
  missing_role: {
    status: 403,
    title: 'The role in this organisation does not include this',
    advice: 'Ask an owner or an admin of the organisation to do it, or for another role.',
  },
  two_factor_required: {
    status: 403,
    title: 'Two-factor authentication required',
    advice: 'Turn on two-factor authentication under Settings, Security, then open the operator pages again.',
  },
  code_required: {
    status: 403,
    title: 'Recent 2FA code required',
    advice: 'Enter a code of the authenticator app, then send the request again within 15 minutes.',
  },
  cross_site_request: {
    status: 403,
    title: 'The request did not come from the web application',
    advice: 'Programs use the API with a key. In a browser, open the web application at its own address.',
  },
  signup_disabled: {
    status: 403,
    title: 'New people are invited here',
    advice: 'Ask somebody who has an organisation here for an invitation, and follow the link in it.',
  },
  account_creation_closed: {
    status: 403,
    title: 'Account creation by operators only',
    advice: 'Ask an operator of the installation to create the account and to invite you.',
  },
  not_configured: {
    status: 404,
    title: 'This installation does not have that',
    advice: 'Ask the operator of the installation: it is off until it is set up.',
  },
  last_owner: {
    status: 409,
    title: 'An organisation keeps an owner',
    advice: 'Make somebody else an owner first.',
  },
  already_subscribed: {
    status: 409,
    title: 'The account has a plan that it pays for',
    advice: 'Change or end the plan on the page of the payment provider, to which the portal link leads.',
  },
  too_many_accounts: {
    status: 409,
    title: 'The person has as many organisations as they may',
    advice: 'Use one of the organisations that are there. A person may own 20.',
  },
  ip_lockout: {
    status: 409,
    title: 'This list would shut you out',
    advice: 'Add the network address that you have now, or say that you mean it with `confirmed`.',
  },
  weak_password: {
    status: 422,
    title: 'The password is too easy to guess',
    advice: 'Choose a password of at least 12 characters that is not among the most common ones.',
  },
} as const satisfies Record<string, { status: number; title: string; advice: string }>
