/**
 * Which of Node's codes for a failed question means what. Absent on purpose: ENODATA and ENOTFOUND, which are answers. A code
 * that is not here is `other`.
 */
export const FAILURES = {
  ETIMEOUT: 'timeout',
  ESERVFAIL: 'servfail',
  EREFUSED: 'refused',
  ENOTIMP: 'refused', // "not implemented": a server that knows no MX questions refuses us as well
  EFORMERR: 'malformed',
  EBADRESP: 'malformed',
  ECONNREFUSED: 'unreachable',
  EOF: 'unreachable',
  ECANCELLED: 'canceled',
  EDESTRUCTION: 'canceled',
  EBADNAME: 'bad_name',
  EBUDGET: 'query_limit_reached', // ours: the look-up has asked all it may
} as const satisfies Record<string, string>
