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

/** Marks a parameterless statement that may be pipelined with BEGIN; its rows are ignored. */
export const WITH_BEGIN = '/* with begin */ '

/**
 * Kysely's PostgreSQL dialect, except that BEGIN is sent with the first statement of a transaction if that statement allows it. Most transactions have one
 * statement, and two of their four round trips were spent on BEGIN and the role.
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
  /** The BEGIN that must be sent before the next statement of a connection. */
  readonly #unsent = new WeakMap<DatabaseConnection, string>()
  readonly #known = new WeakSet<DatabaseConnection>()

  override async acquireConnection(options?: AbortableOperationOptions): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection(options)
    if (!this.#known.has(connection)) this.#prepare(connection)
    this.#unsent.delete(connection) // of a transaction without statements
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
