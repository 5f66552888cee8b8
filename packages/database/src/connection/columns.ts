import type { ColumnType } from 'kysely'

/** A column that statements read and only the database writes. */
export type SetByDatabase<T> = ColumnType<T, never, never>
