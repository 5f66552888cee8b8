/** How long the confirmation of an estimate can start a job. */
export const CONFIRMATION_TTL_S = 600

export const EMAILS_PER_REQUEST_MAX = 1000

/** More days than this are not answered for at once. */
export const DAYS_MAX = 366

/** A visitor waits at a form, and DNS responds quickly. */
export const DECISION_TIMEOUT_DEFAULT_S = 5

export const MESSAGES_PER_REPORT_MAX = 10_000

/** Mail of so many days ago may still be reported. */
export const SENT_DAYS_AGO_MAX = 60

/** Maximum weight of a reported delivery. */
export const DELIVERY_WEIGHT_MAX = 100

export const OVERVIEW_DAYS_MAX = 90
export const OVERVIEW_DAYS_DEFAULT = 30

/** More than this is quietly cut to this, which is why the schema of `limit` has no maximum. */
export const PAGE_LIMIT_MAX = 100

export const REFERENCE_LENGTH_MAX = 200

/** The largest file that is taken. In a file of its own: pages refuse a larger one without sending it, and need no schemas for that. */
export const FILE_BYTES_MAX = 50 * 1024 * 1024

/** Maximum number of keys listed individually. */
export const USAGE_KEYS_MAX = 1_000

/** Far above what an address may have, so that a merely too long one gets a verdict and only nonsense gets a 400. */
export const EMAIL_LENGTH_MAX = 1024
