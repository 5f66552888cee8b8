import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import { escapeLiteral, type PoolClient } from 'pg'
import { currentActor } from '../connection/actor.ts'
import { openPool } from '../connection/connect.ts'

// One message for everything. As in connect.ts all settings use SET LOCAL, because a session behind a pooler is used by other clients
// later.
const BEGIN = `begin; set local role probity_users; set local statement_timeout = '10s';
  set local lock_timeout = '5s'; set local idle_in_transaction_session_timeout = '10s'`

/** Includes the actor, if there is one. */
function beginAsUsersRole(): string {
  const actor = currentActor()
  return actor === '' ? BEGIN : `${BEGIN}; set local app.actor = ${escapeLiteral(actor)}`
}

/**
 * The connections of the sign-in library, which writes its own SQL and does not know about roles. Each of its statements or transactions
 * runs as the role that can access the tables of users and nothing else.
 */
export function connectAuth(url: string, connectionsMax: number): Kysely<unknown> {
  const pool = openPool(url, { connectionsMax, applicationName: 'probity-people' })
  const restricted = {
    connect: async () => restrictRole(await pool.connect()),
    end: () => pool.end(),
    options: pool.options,
  }
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool: restricted }) })
}

/** A connection that runs every statement in a transaction with the restricted role. */
function restrictRole(client: PoolClient): PostgresPoolClient {
  let isInside = false
  let isBroken = false

  async function query(text: string, values: readonly unknown[]) {
    if (/^(begin|start transaction)\b/i.test(text)) {
      isInside = true
      return client.query(beginAsUsersRole())
    }
    if (/^(commit|rollback)$/i.test(text)) {
      isInside = false
      return client.query(text)
    }
    return isInside ? client.query(text, [...values]) : queryAlone(text, values)
  }

  async function queryAlone(text: string, values: readonly unknown[]) {
    try {
      await client.query(beginAsUsersRole())
      const result = await client.query(text, [...values])
      await client.query('commit')
      return result
    } catch (error) {
      // A connection that cannot roll back is not reused.
      await client.query('rollback').catch(() => {
        isBroken = true
      })
      throw error
    }
  }

  const release = (discard = false) => client.release(discard || isBroken)
  return { query, release } as unknown as PostgresPoolClient
}
