/** Every error that the public API can return. Closed: no other code is sent. Codes of the web app's own routes are in session-problems.ts. */
export const PROBLEMS = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    advice: 'Correct the fields named in `errors` and send the request again.',
  },
  malformed_json: {
    status: 400,
    title: 'The body is not JSON',
    advice: 'Send one complete JSON document, encoded as UTF-8.',
  },
  api_key_in_query: {
    status: 400,
    title: 'An API key was sent in the address',
    advice:
      'Send the key in the X-API-Key header. Addresses end up in logs, so replace the key you sent with a new one.',
  },
  conflicting_api_keys: {
    status: 400,
    title: 'Conflicting API keys',
    advice: 'Send the key in the X-API-Key header or as `Authorization: Bearer`, or send the same key in both.',
  },
  no_file: {
    status: 400,
    title: 'The form has no file',
    advice: 'Send the CSV in the form field `file`.',
  },
  missing_api_key: {
    status: 401,
    title: 'No API key was sent',
    advice: 'Send the key in the X-API-Key header or as `Authorization: Bearer`, for GET as well as for POST.',
  },
  invalid_api_key: {
    status: 401,
    title: 'The API key is not known',
    advice: 'Check that the whole key was copied and that it belongs to this installation.',
  },
  revoked_api_key: {
    status: 401,
    title: 'The API key has been revoked',
    advice: 'Use another key. A revoked key cannot be brought back.',
  },
  expired_api_key: {
    status: 401,
    title: 'The API key has expired',
    advice: 'Use a key that has not expired, or create a new one.',
  },
  insufficient_credits: {
    status: 402,
    title: 'Not enough credits',
    advice: 'Add credits to the account or send fewer addresses. Nothing was charged for this request.',
  },
  api_key_cap_reached: {
    status: 402,
    title: 'The monthly cap of this key is used up',
    advice: 'Raise or remove the cap of the key, or wait for the next calendar month in UTC.',
  },
  paused_api_key: {
    status: 403,
    title: 'The API key is paused',
    advice: 'Resume the key, or use another one.',
  },
  ip_not_allowed: {
    status: 403,
    title: 'This network address is not allowed here',
    advice:
      'Send the request from an address on the allow-lists of the key and of the organisation, or have yours added to them.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'This page may not use the key',
    advice: 'A publishable key works in browsers, from the origins on its list. Add the origin of the page to them.',
  },
  missing_scope: {
    status: 403,
    title: 'The key lacks the scope for this',
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
    title: 'A key cannot give away scopes it does not have',
    advice: 'Ask only for scopes that the calling key has itself.',
  },
  exceeds_own_key: {
    status: 403,
    title: 'Limits of the calling key exceeded',
    advice:
      'Stay within the expiry, the IP allowlist and the remaining monthly cap of the calling key, or manage keys in the web app.',
  },
  account_suspended: {
    status: 403,
    title: 'The account is suspended',
    advice:
      'New requests are rejected and its lists are paused. Contact the operator of the installation, also about a disputed payment.',
  },
  api_not_in_plan: {
    status: 403,
    title: 'The plan does not include the API',
    advice: 'Choose pay-as-you-go or a paid plan. Test keys work on every plan.',
  },
  not_found: {
    status: 404,
    title: 'There is nothing here',
    advice: 'Check the path and the id. What belongs to another account is answered like this too.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    advice: 'Use one of the methods that the Allow header names.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    advice: 'Send the request again over a faster connection, or make it smaller.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'The first request with this idempotency key is still running',
    advice: 'Wait as long as Retry-After says and repeat the same request to get its answer.',
  },
  upload_already_confirmed: {
    status: 409,
    title: 'The upload was confirmed with another column',
    advice: 'Look at the job that it became. To validate another column, upload the file again.',
  },
  job_finished: {
    status: 409,
    title: 'The job has ended',
    advice: 'Only a job that is under way can be paused, resumed or canceled.',
  },
  job_in_progress: {
    status: 409,
    title: 'Job in progress contains the address',
    advice: 'Wait until the job has ended, or cancel it, then send the request again. Nothing was deleted.',
  },
  job_under_review: {
    status: 409,
    title: 'The job is under review',
    advice:
      'An operator reviews the list and then releases or cancels it. You can cancel the job; it cannot be resumed meanwhile.',
  },
  inactive_api_key: {
    status: 409,
    title: 'The API key has ended or has been replaced',
    advice: 'Create a new key, or rotate the one that took its place.',
  },
  webhook_disabled: {
    status: 409,
    title: 'The webhook is disabled',
    advice: 'Enable the webhook first. `disabled_reason` says why nothing is sent to it.',
  },
  too_many_keys: {
    status: 409,
    title: 'Key limit reached',
    advice: 'Revoke keys that are no longer needed. The operator of the installation sets the limit (100 by default).',
  },
  too_many_webhooks: {
    status: 409,
    title: 'The account has as many webhooks as it may',
    advice: 'Delete one that is no longer needed. An account has at most 10, live and test together.',
  },
  policy_exists: {
    status: 409,
    title: 'The account has a policy of this name',
    advice: 'Change the policy that is there, or choose another name.',
  },
  too_many_policies: {
    status: 409,
    title: 'The account has as many policies as it may',
    advice: 'Delete one that is no longer needed. An account has at most 50 of its own.',
  },
  too_many_overrides: {
    status: 409,
    title: 'The lists of the account are full',
    advice: 'Remove entries that are no longer needed. Both lists together hold at most 10,000.',
  },
  too_many_uploads: {
    status: 409,
    title: 'Upload limit reached',
    advice: 'Confirm or delete uploads that are not confirmed, then upload the file again. They expire after 24 hours.',
  },
  event_expired: {
    status: 410,
    title: 'The event has been removed',
    advice: 'The retention of the account is over for it, so that it cannot be sent again.',
  },
  file_removed: {
    status: 410,
    title: 'The uploaded file has been removed',
    advice:
      'Files are kept for 7 days after they are confirmed. Read the results as `json` or `ndjson`, which remain until the retention of the account ends.',
  },
  results_expired: {
    status: 410,
    title: 'The results have been removed',
    advice: 'The retention of the account is over for this job. Its summary remains.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    advice: 'Split the request into smaller ones. Long lists belong in a CSV upload.',
  },
  file_too_large: {
    status: 413,
    title: 'The file is too large',
    advice: 'Upload files of at most 50 MiB. Split longer lists into several files; they are worked on side by side.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body has a type that is not accepted here',
    advice: 'Set Content-Type to the type that this endpoint documents, which is application/json for most.',
  },
  content_encoding_refused: {
    status: 415,
    title: 'Compressed bodies are not accepted',
    advice: 'Send the form as it is, without Content-Encoding.',
  },
  not_csv: {
    status: 415,
    title: 'The file is not a CSV',
    advice: 'Save the sheet as CSV, best in UTF-8, and upload that.',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'The idempotency key was used for another request',
    advice: 'Use a fresh idempotency key for every new request; repeat one only together with the same body.',
  },
  empty_file: {
    status: 422,
    title: 'The file is empty',
    advice: 'Upload a CSV with at least one row of data.',
  },
  malformed_csv: {
    status: 422,
    title: 'The CSV cannot be read',
    advice: 'Look at the row that the detail names; a quote that is opened there may not be closed.',
  },
  record_too_long: {
    status: 422,
    title: 'A row of the file is too long',
    advice: 'Rows may have 64 KiB. Look at the row that the detail names, or leave out columns that are not needed.',
  },
  too_many_columns: {
    status: 422,
    title: 'The file has too many columns',
    advice: 'Leave out columns that are not needed: a row may have 256.',
  },
  too_many_rows: {
    status: 422,
    title: 'The file has too many rows',
    advice: 'Split the list into several files; they are worked on side by side.',
  },
  too_many_emails: {
    status: 422,
    title: 'The file has more emails than the plan takes at once',
    advice: 'Split the list into several files; they are worked on side by side.',
  },
  no_email_column: {
    status: 422,
    title: 'No email column',
    advice: 'Upload a file with a column of addresses, or one whose header says email.',
  },
  unknown_column: {
    status: 422,
    title: 'The file has no such column',
    advice: 'Name one of the `columns` of the preview, spelt as it is there.',
  },
  column_without_emails: {
    status: 422,
    title: 'The column holds no addresses',
    advice: 'Name the column that holds the addresses.',
  },
  webhook_url_rejected: {
    status: 422,
    title: 'Webhook URL rejected',
    advice: 'Use an https URL on port 443 with a public host name, without user, password and fragment.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    advice: 'Wait as long as Retry-After says, then go on at a slower pace.',
  },
  concurrency_limited: {
    status: 429,
    title: 'Too many validations at once',
    advice: 'Wait until some of the validations under way are answered, then send more.',
  },
  too_many_streams: {
    status: 429,
    title: 'Too many event streams',
    advice: 'Close a stream that you no longer need, or poll the job or use a webhook instead.',
  },
  queue_limit_reached: {
    status: 429,
    title: 'Too many addresses of the account wait in lists',
    advice: 'Wait until a list has ended, or cancel one. The upload is kept meanwhile, and nothing was set aside.',
  },
  domain_limit: {
    status: 429,
    title: 'Too many addresses of one domain today',
    advice:
      'Send the request again after the end of the UTC day. The limit grows with the credits that your account has bought; addresses at free email providers do not count.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    advice: 'Send fewer or shorter headers; cookies are not needed.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    advice: 'Repeat the request later. If it keeps failing, tell us the request id.',
  },
  overloaded: {
    status: 503,
    title: 'More work than can be taken on right now',
    advice: 'Wait as long as Retry-After says and repeat the request.',
  },
  account_on_hold: {
    status: 503,
    title: 'The account is being looked at and is charged nothing meanwhile',
    advice:
      'Its credits did not add up, so we stopped rather than charge wrongly. What is there can be read. Try again later.',
  },
  service_unavailable: {
    status: 503,
    title: 'The database cannot be reached',
    advice: 'Repeat the request after a short wait. An idempotency key makes the repetition safe.',
  },
} as const satisfies Record<string, { status: number; title: string; advice: string }>
