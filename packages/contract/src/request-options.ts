import Type from 'typebox'

const REFERENCE_LENGTH_MAX = 200

/** Text of the client's own, stored with a request and returned with its result. */
export const REFERENCE_OPTION = {
  reference: Type.Optional(
    Type.String({
      maxLength: REFERENCE_LENGTH_MAX,
      description: `Text of your own, up to ${REFERENCE_LENGTH_MAX} characters, such as the id of a customer. It is returned in the response and in webhook events, and not evaluated.`,
      examples: ['customer-1042'],
    }),
  ),
}

/** How old a reused result may be. */
export const MAX_AGE_OPTION = {
  max_age_s: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'Maximum age, in seconds, of an earlier result that may be returned instead of a new validation. 0: validate now. Without it, conclusive results of the last 24 hours are reused, which is also the longest possible age. A new result replaces the earlier one for later requests. Cached DNS findings are not affected; see `evidence`. A validation of the same address that is still in progress is joined in any case, because its result is newer than the request. A result that waits to be collected and is older than this is not returned; the new validation is charged.',
      examples: [0, 3600],
    }),
  ),
}
