import { arrayOf, callInTenant, type Db, inTenant } from './connect.ts'
import { type Finish, type Finished, finishValidations } from './validations.ts'

/**
 * Writes the final results of validations of one account, as `finishValidations` does, in one round trip. Those whose client was told to
 * collect the result take several statements and a transaction of their own; they are few.
 */
export async function finishAtOnce(db: Db, accountId: string, finishes: Finish[]): Promise<Map<string, Finished>> {
  const outcomes = new Map<string, Finished>()
  for (const [day, group] of Map.groupBy(finishes, ({ ref }) => ref.expiresOn)) {
    for (const { validation_id: id, refunded } of await finishDay(db, { accountId, day }, group)) {
      outcomes.set(id, { refunded, owed: false })
    }
  }
  const rest = finishes.filter(({ ref }) => !outcomes.has(ref.id))
  if (rest.length === 0) return outcomes
  const others = await inTenant(db, accountId, (trx) => finishValidations(trx, accountId, rest))
  return new Map([...outcomes, ...others])
}

type Partition = { accountId: string; day: string }
type Ended = { validation_id: string; refunded: boolean }

function finishDay(db: Db, { accountId, day }: Partition, group: Finish[]): Promise<Ended[]> {
  const each = (read: (finish: Finish) => string) => group.map(read)
  const values = [
    day,
    arrayOf(
      'uuid',
      each(({ ref }) => ref.id),
    ),
    arrayOf(
      'boolean',
      each(({ conclusive }) => String(conclusive)),
    ),
    arrayOf(
      'json',
      each(({ result }) => JSON.stringify(result)),
    ),
  ]
  return callInTenant<Ended>(db, accountId, 'finish_validations', values)
}
