/** How long the confirmation of an estimate can start a job. */
export const CONFIRMATION_TTL_S = 600

export const EMAILS_PER_REQUEST_MAX = 1000

/** Maximum number of days in one response. */
export const DAYS_MAX = 366

/** A visitor waits at a form, and DNS responds quickly. */
export const DECISION_TIMEOUT_DEFAULT_S = 5

export const MESSAGES_PER_REPORT_MAX = 10_000

/** Maximum age in days of a message whose outcome can be reported. */
export const SENT_DAYS_AGO_MAX = 60

/** Maximum weight of a reported delivery. */
export const DELIVERY_WEIGHT_MAX = 100

export const OVERVIEW_DAYS_MAX = 90
export const OVERVIEW_DAYS_DEFAULT = 30

/** A higher limit is reduced to this without an error, so the schema of `limit` has no maximum. */
export const PAGE_LIMIT_MAX = 100

/** A page of jobs can hold all jobs of most accounts: a job is about 1.5 KB of JSON. */
export const JOB_PAGE_LIMIT_MAX = 1_000

export const REFERENCE_LENGTH_MAX = 200

/** Also the maximum length of a file name. */
export const JOB_NAME_LENGTH_MAX = 200

/** Days until a link to a report expires. */
export const REPORT_LINK_DAYS_MAX = 90
export const REPORT_LINK_DAYS_DEFAULT = 30

/** A table of lists shows them in one or two lines. */
export const TAGS_MAX = 10
export const TAG_LENGTH_MAX = 40

/** Maximum size of an uploaded file. In a file without schemas: pages reject larger files before sending them and need only this number. */
export const FILE_BYTES_MAX = 50 * 1024 * 1024

/** Maximum number of corrected values in one request. */
export const CORRECTIONS_MAX = 1_000

/** Maximum number of keys listed individually. */
export const USAGE_KEYS_MAX = 1_000

/** Far above the allowed length of an address. Of a longer text to validate, only this many characters are stored. */
export const EMAIL_LENGTH_MAX = 1024

/** More than fits into the body of a validation, whose limit applies first: a long text among others must not fail a request. */
export const EMAIL_TEXT_LENGTH_MAX = 2 * 1024 * 1024
