import {
  type AbortableOperationOptions,
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import type { Pool } from 'pg'

/** How a statement begins that may be sent together with the one that begins its transaction: it has no parameters, and nobody wants its rows. */
export const WITH_BEGIN = '/* with begin */ '

/**
 * PostgreSQL as Kysely speaks to it, but that a transaction is begun by its first statement: in one trip to the server where that one allows it. Most of our transactions are one
 * statement long, and of the four trips that each took, two were spent on beginning.
 */
export function lateBeginDialect(pool: Pool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new LateBeginDriver({ pool }),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

class LateBeginDriver extends PostgresDriver {
  /** What is still to be sent on a connection before anything else, or nothing. */
  readonly #unsent = new WeakMap<DatabaseConnection, string>()
  readonly #known = new WeakSet<DatabaseConnection>()

  override async acquireConnection(options?: AbortableOperationOptions): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection(options)
    if (!this.#known.has(connection)) this.#prepare(connection)
    this.#unsent.delete(connection) // of a transaction that came to nothing
    return connection
  }

  override async beginTransaction(
    connection: DatabaseConnection,
    { isolationLevel, accessMode }: TransactionSettings,
  ): Promise<void> {
    const level = isolationLevel ? ` isolation level ${isolationLevel}` : ''
    this.#unsent.set(connection, `begin${level}${accessMode ? ` ${accessMode}` : ''}`)
  }

  #prepare(connection: DatabaseConnection): void {
    const execute = connection.executeQuery.bind(connection)
    connection.executeQuery = async <Row>(query: CompiledQuery, options?: AbortableOperationOptions) => {
      const begin = this.#unsent.get(connection)
      if (begin === undefined) return execute<Row>(query, options)
      this.#unsent.delete(connection)
      if (query.sql.startsWith(WITH_BEGIN)) {
        return execute<Row>({ ...query, sql: `${begin}; ${query.sql}` }, options)
      }
      await execute(CompiledQuery.raw(begin))
      return execute<Row>(query, options)
    }
    this.#known.add(connection)
  }
}
