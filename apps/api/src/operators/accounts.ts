import { randomUUID } from 'node:crypto'
import {
  CreditGrant,
  NewPasswordReset,
  OperatorAccount,
  OperatorAccounts,
  OperatorAccountsQuery,
  PasswordReset,
  PlanChange,
} from '@probity/contract/schemas/operators'
import { listPlans } from '@probity/database/accounts/accounts'
import { postCredits } from '@probity/database/billing/ledger'
import { asOperator, asOperatorOf, type Db, type Trx } from '@probity/database/connection/connect'
import {
  changePlan,
  findSeenAccount,
  reactivateAccount,
  type SeenAccount,
  searchAccounts,
  suspendAccount,
} from '@probity/database/operators/accounts'
import { createPasswordReset } from '@probity/database/users/sessions'
import type { Admission } from '@probity/redis/admission'
import Type from 'typebox'
import { readPage } from '../http/page.ts'
import { found, invalidField, Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { confirmPassword } from '../middleware/authentication/confirm-password.ts'
import type { UserAuthentication } from '../middleware/authentication/session.ts'

const Params = Type.Object({ account_id: Type.String({ format: 'uuid' }) })
const one = { params: Params, response: { 200: OperatorAccount } }

/** All accounts with their figures, and the operator actions on one account. */
export const manageAccounts: Route<{ db: Db }> = async (app, { db }) => {
  const listing = { querystring: OperatorAccountsQuery, response: { 200: OperatorAccounts } }
  app.get('/accounts', { schema: listing }, async ({ query: { search, state, ...page } }) =>
    asOperator(db, async (trx) => {
      const { accounts, total } = await searchAccounts(trx, { search: search?.trim(), state, ...readPage(page) })
      return { accounts: accounts.map(present), total, plans: (await listPlans(trx)).map(({ name }) => name) }
    }),
  )

  app.get('/accounts/:account_id', { schema: one }, async ({ params }) =>
    asOperator(db, (trx) => show(trx, params.account_id)),
  )

  const granting = { ...one, body: CreditGrant }
  app.post('/accounts/:account_id/credits', { schema: granting }, async ({ params: { account_id: id }, body }) => {
    const { credits, note } = body
    if (credits === 0) throw invalidField('/credits', 'must not be zero')
    return asOperatorOf(db, id, async (trx) => {
      await show(trx, id)
      const kind = credits > 0 ? 'grant' : 'adjust'
      const posting = await postCredits(trx, { kind, credits, subject: randomUUID(), note })
      if (posting.kind !== 'posted') throw invalidField('/credits', 'exceeds the available balance')
      return show(trx, id)
    })
  })

  const planning = { ...one, body: PlanChange }
  app.post('/accounts/:account_id/plan', { schema: planning }, async ({ params: { account_id: id }, body }) =>
    asOperator(db, async (trx) => {
      const isKnown = (await listPlans(trx)).some(({ name }) => name === body.plan)
      if (!isKnown) throw invalidField('/plan', 'must be a plan of this installation')
      await changePlan(trx, id, body.plan)
      return show(trx, id)
    }),
  )

  for (const [verb, act] of [
    ['suspend', suspendAccount],
    ['reactivate', reactivateAccount],
  ] as const) {
    app.post(`/accounts/:account_id/${verb}`, { schema: one }, async ({ params: { account_id: id } }) =>
      asOperator(db, async (trx) => {
        await act(trx, id)
        return show(trx, id)
      }),
    )
  }
}

async function show(trx: Trx, accountId: string): Promise<OperatorAccount> {
  return present(found(await findSeenAccount(trx, accountId)))
}

function present({ used30d, createdAt, suspendedAt, onHoldSince, ...account }: SeenAccount): OperatorAccount {
  return {
    ...account,
    used_30d: used30d,
    created_at: createdAt.toISOString(),
    suspended_at: suspendedAt?.toISOString() ?? null,
    on_hold_at: onHoldSince?.toISOString() ?? null,
  }
}

type PasswordResetsDependencies = {
  db: Db
  admission: Admission
  people: UserAuthentication
}

/**
 * Password reset links that an operator passes on, for installations without an SMTP relay. They require the operator's own password,
 * because
 * such a link gives access to the user's accounts. Two-factor authentication stays enabled.
 */
export const createPasswordResets: Route<PasswordResetsDependencies> = async (app, services) => {
  const schema = { body: NewPasswordReset, response: { 201: PasswordReset } }
  app.post('/password-resets', { schema }, async (request, reply) => {
    if (services.people.hasMail) throw new Problem('not_found')
    const { email, password } = request.body
    await confirmPassword(services, request, password)
    const reset = await asOperator(services.db, (trx) => createPasswordReset(trx, email))
    if (reset === undefined) {
      throw new Problem('invalid_request', undefined, {
        errors: [{ pointer: '/email', detail: 'No user has this email address.' }],
      })
    }
    return reply.code(201).send({ token: reset.token, expires_at: reset.expiresAt.toISOString() })
  })
}
