/** Rights on one table: `all` for the whole table, otherwise the columns. */
export type TableRights = Partial<Record<'select' | 'insert' | 'update' | 'delete', 'all' | readonly string[]>>

/**
 * All rights of a role with few rights. A file of `schema/` grants them; `role-rights.test.ts` tries every table and function of the catalog
 * and fails on a right that is missing here.
 */
export type RoleRights = {
  role: 'probity_worker' | 'probity_maintenance'
  /** By table, with the task that needs it. */
  tables: Record<string, TableRights & { for: string }>
  /** Rows of the table `secrets` that the role reads. */
  secrets: readonly string[]
  /** By task. Trigger functions cannot be called and are not listed. */
  functions: Record<string, readonly string[]>
}
