import { asOwner, type Db } from '@probity/database/connection/connect'
import { listOperators, type Operator, setOperator } from '@probity/database/operators/accounts'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { withDatabase } from '../database.ts'
import { Refusal } from '../refusal.ts'

/** Operators: users with access to the operator pages. */
export function operatorCommands(config: AdminConfig): Command {
  const operator = new Command('operator').description('Operators of the installation.')
  operator
    .command('add')
    .description('Give a user operator access.')
    .argument('<email>')
    .action((email: string) => withDatabase(config, (db) => change(db, email, true)))
  operator
    .command('remove')
    .description('Remove operator access from a user. The user can still sign in.')
    .argument('<email>')
    .action((email: string) => withDatabase(config, (db) => change(db, email, false)))
  operator
    .command('list')
    .description('List all operators.')
    .action(() => withDatabase(config, (db) => asOwner(db, listOperators)))
  return operator
}

async function change(db: Db, email: string, isOperator: boolean): Promise<Operator> {
  const person = await asOwner(db, (trx) => setOperator(trx, email, isOperator))
  if (person === undefined) throw new Refusal('No user has this email address.')
  return person
}
