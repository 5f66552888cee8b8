import { DeleteAccount, DeletionPreview } from '@probity/contract/schemas/accounts'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { type AccountContents, closeAccount, countContents } from '@probity/database/system/account-deletion'
import { deleteExpiredUploads } from '@probity/database/system/retention'
import type { Admission } from '@probity/redis/admission'
import type { FileStorage } from '@probity/uploads/storage'
import type { FastifyBaseLogger } from 'fastify'
import { Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { askPassword } from '../../middleware/authentication/confirm-password.ts'
import type { UserAuthentication } from '../../middleware/authentication/session.ts'
import { refuseNonOwner } from './owner.ts'

type DeletionDependencies = {
  db: Db
  admission: Admission
  storage: FileStorage
  people: UserAuthentication
  log: FastifyBaseLogger
}

/** Deletes an account, and lists in advance what is deleted with it. */
export const deleteOrganisation: Route<DeletionDependencies> = async (app, services) => {
  const { db, log } = services
  const config = { scope: 'account:write' } as const
  app.get('/deletion', { schema: { response: { 200: DeletionPreview } }, config }, async (request) => {
    refuseNonOwner(request)
    const { accountId } = request.auth
    return present(await inTenant(db, accountId, (trx) => countContents(trx, accountId)))
  })

  app.post('/deletion', { schema: { body: DeleteAccount }, config }, async (request, reply) => {
    refuseNonOwner(request)
    const { auth, body, person } = request
    const { accountId } = auth
    await askPassword(services, request, body.password)
    await inTenant(db, accountId, async (trx) => {
      const { name, isSubscribed } = await countContents(trx, accountId)
      if (body.name.trim() !== name.trim()) throw wrongName()
      // Otherwise Stripe would continue to charge a deleted account.
      if (isSubscribed) throw new Problem('already_subscribed')
      await closeAccount(trx, accountId)
    })
    log.info({ accountId, personId: person?.userId }, 'account deleted')
    void removeFiles(services)
    return reply.code(204).send(null)
  })
}

function wrongName(): Problem {
  const detail = 'This is not the name of the account.'
  return new Problem('invalid_request', undefined, { errors: [{ pointer: '/name', detail }] })
}

/** At once, as far as it goes: maintenance does it again every hour. */
async function removeFiles({ db, storage, log }: DeletionDependencies): Promise<void> {
  try {
    await deleteExpiredUploads(db, storage)
  } catch (error) {
    log.warn({ err: error }, 'failed to delete the files of a deleted account; retrying within an hour')
  }
}

function present({ runningJobs, available, isSubscribed, ...counts }: AccountContents): DeletionPreview {
  return { ...counts, running_jobs: runningJobs, credits: available, subscribed: isSubscribed }
}
