import {
  DeleteAccount,
  DeletionPreview,
  ExportRequest,
  Network,
  UpdateNetwork,
} from '@probity/contract/schemas/accounts'
import { findAccount, updateAccount } from '@probity/database/accounts/accounts'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { type AccountContents, closeAccount, countContents } from '@probity/database/system/account-deletion'
import { exportAccount } from '@probity/database/system/account-export'
import { deleteExpiredUploads } from '@probity/database/system/retention'
import type { Admission } from '@probity/redis/admission'
import type { FileStorage } from '@probity/uploads/storage'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { EXPORT_LIMITS, openExports } from '../../http/exports/send-export.ts'
import { isOnList, isRange } from '../../http/networks.ts'
import { found, invalidField, Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'
import { noteExport } from '../../middleware/authentication/auth.ts'
import { confirmPassword } from '../../middleware/authentication/confirm-password.ts'
import type { UserAuthentication } from '../../middleware/authentication/session.ts'

/** For operations that affect the whole account and all of its members. */
export function refuseNonOwner({ member }: FastifyRequest): void {
  if (member?.role !== 'owner') throw new Problem('missing_role')
}

type DeletionDependencies = {
  db: Db
  admission: Admission
  storage: FileStorage
  people: UserAuthentication
  log: FastifyBaseLogger
}

/** Deletes an account, and lists in advance what is deleted with it. */
export const deleteAccountRoutes: Route<DeletionDependencies> = async (app, services) => {
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
    await confirmPassword(services, request, body.password)
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
  return invalidField('/name', detail)
}

/** Removes files immediately where possible. Maintenance repeats this every hour. */
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

type ExportDependencies = {
  db: Db
  admission: Admission
  people: UserAuthentication
  log: FastifyBaseLogger
}

/** Each export holds a database connection and a snapshot. The limit of three lets two accounts export while a third starts. */
const LIMITS = { ...EXPORT_LIMITS, atOnceMax: 3, perAccountMax: 1 }

/** Exports all data of an account as one file. */
export const exportAccountRoutes: Route<ExportDependencies> = async (app, services) => {
  const sendExport = openExports(LIMITS)
  const options = { schema: { body: ExportRequest }, config: { scope: 'account:write' } } as const
  app.post('/export', options, async (request, reply) => {
    const { accountId } = request.auth
    refuseNonOwner(request)
    await confirmPassword(services, request, request.body.password)
    services.log.info({ accountId, personId: request.person?.userId }, 'account data exported')
    await noteExport(services, request, { what: 'account' })
    return sendExport(reply, accountId, {
      type: 'application/x-ndjson',
      disposition: 'attachment; filename="probity-export.ndjson"',
      chunks: exportAccount(services.db, accountId),
    })
  })
}

/** IP allowlist of the account, for keys and members. */
export const manageNetwork: Route<{ db: Db }> = async (app, { db }) => {
  const config = { scope: 'account:write' } as const
  app.get('/network', { schema: { response: { 200: Network } }, config }, async ({ auth: { accountId }, ip }) => {
    const account = found(await inTenant(db, accountId, (trx) => findAccount(trx, accountId)))
    return { ip_allowlist: account.ipAllowList, your_address: plain(ip) }
  })

  const change = { body: UpdateNetwork, response: { 200: Network } }
  app.patch('/network', { schema: change, config }, async ({ auth: { accountId }, body, ip }) => {
    const { ip_allowlist: list, confirmed = false } = body
    refuseBadRanges(list)
    if (list.length > 0 && !confirmed && !isOnList(ip, list)) throw new Problem('ip_lockout')
    await inTenant(db, accountId, (trx) => updateAccount(trx, accountId, { ipAllowList: list }))
    return { ip_allowlist: list, your_address: plain(ip) }
  })
}

function refuseBadRanges(list: string[]): void {
  const wrong = list.find((entry) => !isRange(entry))
  if (wrong === undefined) return
  const detail = `contains "${wrong}", which is neither an IP address nor a CIDR range such as 192.0.2.0/24`
  throw invalidField('/ip_allowlist', detail)
}

/** In the usual notation: IPv4 without the IPv6 prefix. */
function plain(ip: string): string {
  return ip.replace(/^::ffff:(?=\d+\.)/, '')
}
