/** Time and size limits of a request. Set explicitly, because the defaults of Node and Fastify differ. */
export type RequestLimits = {
  headerBytesMax: number
  bodyBytesMax: number
  headersTimeoutMs: number
  requestTimeoutMs: number
  /** For large bodies, instead of the limit above; a minimum transfer rate applies too. */
  uploadTimeoutMs: number
  uploadBytesPerSecondMin: number
  keepAliveTimeoutMs: number
  requestsPerSocketMax: number
  /** Time limit of a handler until it responds; for a request with a `timeout`, the time added to that. */
  handlerTimeoutMs: number
  handlerGraceMs: number
  /** A client that reads nothing of its response for this long is disconnected. */
  writeTimeoutMs: number
  /** For each client network: an IPv4 address or an IPv6 /64. */
  connectionsPerNetworkMax: number
  unfinishedPerNetworkMax: number
}

export const LIMITS: RequestLimits = {
  headerBytesMax: 16 * 1024,
  bodyBytesMax: 4 * 1024, // routes that need more set their own limit
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  uploadTimeoutMs: 300_000,
  uploadBytesPerSecondMin: 10 * 1024,
  keepAliveTimeoutMs: 5_000,
  requestsPerSocketMax: 1_000,
  handlerTimeoutMs: 60_000,
  handlerGraceMs: 5_000,
  writeTimeoutMs: 30_000,
  connectionsPerNetworkMax: 256,
  unfinishedPerNetworkMax: 64, // each unread response takes up to 4 MB of the kernel's buffers
}
