import { type CustomTypesConfig, Pool } from 'pg'

type PoolOptions = {
  /** Small on purpose: a hundred processes share one server through a pooler. */
  connectionsMax: number
  applicationName: string
  types?: CustomTypesConfig
}

export function openPool(url: string, { connectionsMax, applicationName, types }: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: connectionsMax,
    application_name: applicationName,
    connectionTimeoutMillis: 2_000, // also the longest wait for a free connection: a caller is told 503 within two seconds
    query_timeout: 12_000, // above the server's own statement_timeout: ends waits on a connection that is half open
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    ...(types && { types }),
  })
  // An idle connection that the server closes raises here; the pool has dropped it already and opens another on demand.
  pool.on('error', () => {})
  // One that is closed between two statements of a transaction raises on itself, which unheard would end the process. The
  // next statement fails for the same reason.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
