import type { SetByDatabase } from '../connection/columns.ts'

export type SystemTables = {
  backups: { id: SetByDatabase<number>; madeAt: Date; bytes: number; sha256: string }
  processes: ProcessesTable
  secrets: { name: string; value: Buffer }
}

type ProcessesTable = {
  id: SetByDatabase<string>
  kind: SetByDatabase<'api' | 'worker' | 'maintenance'>
  version: SetByDatabase<string>
  facts: SetByDatabase<Record<string, unknown>>
  startedAt: SetByDatabase<Date>
  seenAt: SetByDatabase<Date>
}
