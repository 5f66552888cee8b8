/** Every error that the public API can return. Closed: no other code is sent. Codes of the web app's own routes are in session-problems.ts. */
export const PROBLEMS = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    advice: 'Correct the fields named in `errors` and send the request again.',
  },
  malformed_json: {
    status: 400,
    title: 'Malformed JSON body',
    advice: 'Send one complete JSON document, encoded as UTF-8.',
  },
  api_key_in_query: {
    status: 400,
    title: 'API key in the query string',
    advice: 'Send the key in the X-API-Key header. URLs are written to logs, so rotate the key that you sent.',
  },
  conflicting_api_keys: {
    status: 400,
    title: 'Conflicting API keys',
    advice: 'Send the key in the X-API-Key header or as `Authorization: Bearer`, or send the same key in both.',
  },
  no_file: {
    status: 400,
    title: 'Missing file',
    advice: 'Send the CSV in the form field `file`.',
  },
  missing_api_key: {
    status: 401,
    title: 'Missing API key',
    advice: 'Send the key in the X-API-Key header or as `Authorization: Bearer`, for GET as well as for POST.',
  },
  invalid_api_key: {
    status: 401,
    title: 'Invalid API key',
    advice: 'Check that the whole key was copied and that it belongs to this installation.',
  },
  revoked_api_key: {
    status: 401,
    title: 'API key revoked',
    advice: 'Use another key. A revoked key cannot be restored.',
  },
  expired_api_key: {
    status: 401,
    title: 'API key expired',
    advice: 'Use a key that has not expired, or create a new one.',
  },
  insufficient_credits: {
    status: 402,
    title: 'Insufficient credits',
    advice: 'Add credits to the account or send fewer addresses. Nothing was charged for this request.',
  },
  api_key_cap_reached: {
    status: 402,
    title: 'Monthly cap of the key reached',
    advice: 'Raise or remove the cap of the key, or wait for the next calendar month in UTC.',
  },
  paused_api_key: {
    status: 403,
    title: 'API key paused',
    advice: 'Resume the key, or use another one.',
  },
  ip_not_allowed: {
    status: 403,
    title: 'IP address not allowed',
    advice: 'Send the request from an IP address on the allowlists of the key and the account, or add yours to them.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'Origin not allowed',
    advice: 'A publishable key works only in browsers, from its allowed origins. Add the origin of the page to them.',
  },
  missing_scope: {
    status: 403,
    title: 'Insufficient scope',
    advice: 'Use a key with the scope that the detail names, or add the scope to this key.',
  },
  key_type_not_allowed: {
    status: 403,
    title: 'Key type not allowed',
    advice: 'Use a secret key. A publishable key can be used for POST /api/v1/validation/decision only.',
  },
  live_key_required: {
    status: 403,
    title: 'Live key required',
    advice: 'Use a live key. Test keys cannot change data that both modes share, such as policies.',
  },
  scope_not_grantable: {
    status: 403,
    title: 'Scopes not grantable',
    advice: 'Request only scopes that the calling key has itself.',
  },
  exceeds_own_key: {
    status: 403,
    title: 'Limits of the calling key exceeded',
    advice:
      'Stay within the expiry, the IP allowlist and the remaining monthly cap of the calling key, or manage keys in the web app.',
  },
  account_suspended: {
    status: 403,
    title: 'Account suspended',
    advice:
      'New requests are rejected and jobs are paused. Contact the operator of the installation, also about a disputed payment.',
  },
  api_not_in_plan: {
    status: 403,
    title: 'API not included in the plan',
    advice: 'Choose pay-as-you-go or a paid plan. Test keys work on every plan.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    advice: 'Check the path and the id. Objects of other accounts are not found either.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    advice: 'Use one of the methods in the Allow header.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    advice: 'Send the request again over a faster connection, or make it smaller.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Request with this idempotency key in progress',
    advice: 'Wait for the number of seconds in Retry-After, then send the same request again to get its response.',
  },
  upload_already_confirmed: {
    status: 409,
    title: 'Upload already confirmed with another column',
    advice: 'Use the job that was created. To validate another column, upload the file again.',
  },
  job_finished: {
    status: 409,
    title: 'Job already ended',
    advice: 'Only a job that has not ended can be paused, resumed or canceled.',
  },
  job_not_finished: {
    status: 409,
    title: 'Job not ended',
    advice: 'Wait until the job has ended, or cancel it, then send the request again.',
  },
  job_in_progress: {
    status: 409,
    title: 'Job in progress contains the address',
    advice: 'Wait until the job has ended, or cancel it, then send the request again. Nothing was deleted.',
  },
  job_under_review: {
    status: 409,
    title: 'Job under review',
    advice:
      'An operator reviews the list and then releases or cancels it. You can cancel the job; it cannot be resumed meanwhile.',
  },
  inactive_api_key: {
    status: 409,
    title: 'Inactive API key',
    advice: 'Create a new key, or rotate the key that replaced this one.',
  },
  webhook_disabled: {
    status: 409,
    title: 'Webhook disabled',
    advice: 'Enable the webhook first. `disabled_reason` says why it is disabled.',
  },
  too_many_keys: {
    status: 409,
    title: 'Key limit reached',
    advice: 'Revoke keys that are no longer needed. The operator of the installation sets the limit (100 by default).',
  },
  too_many_webhooks: {
    status: 409,
    title: 'Webhook limit reached',
    advice: 'Delete one that is no longer needed. An account has at most 10, live and test together.',
  },
  policy_exists: {
    status: 409,
    title: 'Policy already exists',
    advice: 'Change the existing policy, or choose another name.',
  },
  too_many_policies: {
    status: 409,
    title: 'Policy limit reached',
    advice: 'Delete one that is no longer needed. An account has at most 50 of its own.',
  },
  too_many_overrides: {
    status: 409,
    title: 'Override limit reached',
    advice: 'Delete overrides that are no longer needed. An account has at most 10,000, allowed and blocked together.',
  },
  too_many_uploads: {
    status: 409,
    title: 'Upload limit reached',
    advice: 'Confirm or delete uploads that are not confirmed, then upload the file again. They expire after 24 hours.',
  },
  too_many_report_links: {
    status: 409,
    title: 'Report link limit reached',
    advice: 'Revoke one that is no longer needed. A job has at most 20.',
  },
  event_expired: {
    status: 410,
    title: 'Event expired',
    advice: 'The retention period of the event has ended. It can no longer be resent.',
  },
  file_removed: {
    status: 410,
    title: 'Uploaded file deleted',
    advice:
      'Files are deleted 7 days after they are confirmed. Read the results as `json` or `ndjson`, which are available until the retention period ends.',
  },
  results_expired: {
    status: 410,
    title: 'Results expired',
    advice: 'The retention period of the job has ended. Its summary is still available.',
  },
  payload_too_large: {
    status: 413,
    title: 'Request body too large',
    advice: 'Split the request into smaller ones. Upload long lists as CSV.',
  },
  file_too_large: {
    status: 413,
    title: 'File too large',
    advice:
      'Upload files of at most 50 MiB, also when a workbook is unpacked. Split longer lists into several files; they are processed in parallel.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    advice: 'Set Content-Type to the type that this endpoint documents: application/json in most cases.',
  },
  content_encoding_refused: {
    status: 415,
    title: 'Compressed body not supported',
    advice: 'Send the form uncompressed, without Content-Encoding.',
  },
  not_csv: {
    status: 415,
    title: 'Neither CSV nor XLSX',
    advice: 'Save the spreadsheet as XLSX, or as CSV in UTF-8, without a password.',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'Idempotency key already used',
    advice: 'Use a new idempotency key for every new request. Repeat a key only with the same body.',
  },
  empty_file: {
    status: 422,
    title: 'Empty file',
    advice: 'Upload a CSV with at least one row of data.',
  },
  malformed_csv: {
    status: 422,
    title: 'Malformed CSV',
    advice: 'Check the row named in `detail`: a quotation mark may not be closed.',
  },
  record_too_long: {
    status: 422,
    title: 'Row too long',
    advice: 'The limit is 64 KiB per row. Check the row named in `detail`, or remove columns that are not needed.',
  },
  too_many_columns: {
    status: 422,
    title: 'Too many columns',
    advice: 'Remove columns that are not needed. The limit is 256.',
  },
  too_many_rows: {
    status: 422,
    title: 'Too many rows',
    advice: 'Split the list into several files; they are processed in parallel.',
  },
  too_many_emails: {
    status: 422,
    title: 'List size of the plan exceeded',
    advice: 'Split the list into several files; they are processed in parallel.',
  },
  no_email_column: {
    status: 422,
    title: 'No email column',
    advice: 'Upload a file with a column of addresses, or with a column named email.',
  },
  unknown_column: {
    status: 422,
    title: 'Unknown column',
    advice: 'Use one of the `columns` of the preview, with the same spelling.',
  },
  no_unknown_results: {
    status: 422,
    title: 'No unknown results',
    advice: 'No address of the job has the status `unknown`. To validate all of them again, send `rows` as `all`.',
  },
  column_without_emails: {
    status: 422,
    title: 'Column without addresses',
    advice: 'Choose the column that contains the addresses.',
  },
  webhook_url_rejected: {
    status: 422,
    title: 'Webhook URL rejected',
    advice: 'Use an https URL on port 443 with a public host name, without user, password and fragment.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    advice: 'Wait for the number of seconds in Retry-After, then reduce your request rate.',
  },
  concurrency_limited: {
    status: 429,
    title: 'Too many concurrent validations',
    advice: 'Wait until some of the validations in progress have finished, then send more.',
  },
  too_many_streams: {
    status: 429,
    title: 'Too many event streams',
    advice: 'Close a stream that you no longer need, or poll the job or use a webhook instead.',
  },
  queue_limit_reached: {
    status: 429,
    title: 'Queued-address limit reached',
    advice: 'Wait until a job has ended, or cancel one. The upload is kept, and no credits were reserved.',
  },
  domain_limit: {
    status: 429,
    title: 'Too many addresses of one domain today',
    advice:
      'Send the request again after the end of the UTC day. The limit grows with the credits that your account has bought; addresses at free email providers do not count.',
  },
  headers_too_large: {
    status: 431,
    title: 'Request headers too large',
    advice: 'Send fewer or shorter headers; cookies are not needed.',
  },
  internal_error: {
    status: 500,
    title: 'Internal server error',
    advice: 'Retry later. If the error persists, contact the operator and include the request id.',
  },
  overloaded: {
    status: 503,
    title: 'Service overloaded',
    advice: 'Wait for the number of seconds in Retry-After, then retry.',
  },
  account_on_hold: {
    status: 503,
    title: 'Account on hold',
    advice:
      'The balance does not match the ledger, so charging is paused. Existing data can still be read. Retry later.',
  },
  service_unavailable: {
    status: 503,
    title: 'Service unavailable',
    advice: 'Retry after a short wait. An idempotency key makes the retry safe.',
  },
} as const satisfies Record<string, { status: number; title: string; advice: string }>
