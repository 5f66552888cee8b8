import { Network, UpdateNetwork } from '@probity/contract/schemas/accounts'
import { findAccount, updateAccount } from '@probity/database/accounts/accounts'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { isOnList, isRange } from '../../http/networks.ts'
import { found, Problem } from '../../http/problem.ts'
import type { Route } from '../../http/route.ts'

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
  throw new Problem('invalid_request', undefined, { errors: [{ pointer: '/ip_allowlist', detail }] })
}

/** As people write it down: IPv4 without the clothes of IPv6. */
function plain(ip: string): string {
  return ip.replace(/^::ffff:(?=\d+\.)/, '')
}
