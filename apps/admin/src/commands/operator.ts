import { asOwner, type Db } from '@probity/database/connect'
import { listOperators, type Operator, setOperator } from '@probity/database/operators'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { withDatabase } from '../database.ts'
import { Refusal } from '../refusal.ts'

/** Who sees the pages of the installation. */
export function operatorCommands(config: AdminConfig): Command {
  const operator = new Command('operator').description('People who run the installation, and have pages for it.')
  operator
    .command('add')
    .description('Make somebody who can sign in an operator.')
    .argument('<email>')
    .action((email: string) => withDatabase(config, (db) => change(db, email, true)))
  operator
    .command('remove')
    .description('Let somebody be an operator no longer. They keep their sign-in.')
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
  if (person === undefined) throw new Refusal('Nobody signs in with that address.')
  return person
}
