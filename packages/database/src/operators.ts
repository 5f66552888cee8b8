import type { Trx } from './connect.ts'

export type Operator = { id: string; name: string; email: string }

export function listOperators(trx: Trx): Promise<Operator[]> {
  return trx
    .selectFrom('users')
    .select(['id', 'name', 'email'])
    .where('isOperator', '=', true)
    .orderBy('email')
    .execute()
}

/** Undefined where nobody has that address. */
export function setOperator(trx: Trx, email: string, isOperator: boolean): Promise<Operator | undefined> {
  return trx
    .updateTable('users')
    .set({ isOperator })
    .where('email', '=', email.toLowerCase())
    .returning(['id', 'name', 'email'])
    .executeTakeFirst()
}
