import type { ColumnType } from 'kysely'

/** A column that statements read and the database alone writes. */
export type SetByDatabase<T> = ColumnType<T, never, never>
