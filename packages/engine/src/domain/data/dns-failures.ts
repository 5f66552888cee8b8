/**
 * The meaning of Node's error codes for a failed query. ENODATA and ENOTFOUND are absent, because they are valid responses. A code that
 * is not listed is `other`.
 */
export const FAILURES = {
  ETIMEOUT: 'timeout',
  ESERVFAIL: 'servfail',
  EREFUSED: 'refused',
  ENOTIMP: 'refused', // "not implemented": the server does not support the record type
  EFORMERR: 'malformed',
  EBADRESP: 'malformed',
  ECONNREFUSED: 'unreachable',
  EOF: 'unreachable',
  ECANCELLED: 'canceled',
  EDESTRUCTION: 'canceled',
  EBADNAME: 'bad_name',
  EBUDGET: 'query_limit_reached', // our own code: the lookup has reached its query limit
  EUNTRUSTED: 'resolver_untrusted', // our own code: a response without records from a resolver that failed its check
} as const satisfies Record<string, string>
