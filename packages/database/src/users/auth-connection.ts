import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import { escapeLiteral, type PoolClient } from 'pg'
import { currentActor } from '../connection/actor.ts'
import { openPool } from '../connection/connect.ts'

// One message for all of it. As in connect.ts everything is by SET LOCAL, since a session behind a pooler is somebody else's next.
const BEGIN = `begin; set local role probity_users; set local statement_timeout = '10s';
  set local lock_timeout = '5s'; set local idle_in_transaction_session_timeout = '10s'`

/** Who is at work goes along; for nobody there is nothing to say. */
function beginAsPeople(): string {
  const actor = currentActor()
  return actor === '' ? BEGIN : `${BEGIN}; set local app.actor = ${escapeLiteral(actor)}`
}

/**
 * The connections of the sign-in library, which writes its own SQL and knows nothing of roles. Each of its statements, or each
 * transaction it begins, runs as the role that sees people and nothing else.
 */
export function connectAuth(url: string, connectionsMax: number): Kysely<unknown> {
  const pool = openPool(url, { connectionsMax, applicationName: 'probity-people' })
  const asPeople = {
    connect: async () => stepDown(await pool.connect()),
    end: () => pool.end(),
    options: pool.options,
  }
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool: asPeople }) })
}

/** A connection on which nothing happens outside a transaction that has stepped down. */
function stepDown(client: PoolClient): PostgresPoolClient {
  let isInside = false
  let isBroken = false

  async function query(text: string, values: readonly unknown[]) {
    if (/^(begin|start transaction)\b/i.test(text)) {
      isInside = true
      return client.query(beginAsPeople())
    }
    if (/^(commit|rollback)$/i.test(text)) {
      isInside = false
      return client.query(text)
    }
    return isInside ? client.query(text, [...values]) : alone(text, values)
  }

  async function alone(text: string, values: readonly unknown[]) {
    try {
      await client.query(beginAsPeople())
      const result = await client.query(text, [...values])
      await client.query('commit')
      return result
    } catch (error) {
      // A connection that cannot roll back is not given to anybody else.
      await client.query('rollback').catch(() => {
        isBroken = true
      })
      throw error
    }
  }

  const release = (discard = false) => client.release(discard || isBroken)
  return { query, release } as unknown as PostgresPoolClient
}
