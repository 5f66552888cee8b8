import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type BillOfMaterials, type Component, listBills, listForeign, nameOf } from './bill-of-materials.ts'
import { ALLOWED_LICENCES, LICENCE_EXCEPTIONS } from './data/licences.ts'
import { RUNTIME_PROGRAMS } from './data/runtime-programs.ts'
import type { Fault } from './fault.ts'
import type { Workspace } from './workspace.ts'

type Brought = { as: string; packagesMax: number; packages: Component[] }

/** The external packages of each program, when packages are installed. */
export function listBrought(root: string): Brought[] {
  if (!existsSync(join(root, 'pnpm-lock.yaml'))) return []
  const programs = RUNTIME_PROGRAMS.filter(({ as }) => existsSync(join(root, 'apps', as, 'package.json')))
  if (programs.length === 0) return []
  const bills = listBills(
    root,
    programs.map(({ as }) => as),
  )
  return programs.map(({ as, packagesMax }) => ({ as, packagesMax, packages: listForeign(billOf(bills, as)) }))
}

function billOf(bills: BillOfMaterials[], as: string): BillOfMaterials {
  const found = bills.find(({ metadata }) => nameOf(metadata.component) === `@probity/${as}`)
  if (!found) throw new Error(`pnpm tells nothing of ${as}`)
  return found
}

/** No program has more packages than its limit, or a package with an unreviewed license. */
export function listUnwantedPackages({ root }: Workspace): Fault[] {
  return listBrought(root).flatMap(({ as, packagesMax, packages }) => {
    const refuse = (message: string) => ({ path: `apps/${as}/package.json`, line: 1, message })
    const many = `brings ${packages.length} packages of others, more than ${packagesMax} (checks/src/data/runtime-programs.ts)`
    return [
      ...(packages.length > packagesMax ? [refuse(many)] : []),
      ...packages
        .filter((one) => !isAllowed(one))
        .map((one) => refuse(`brings ${nameOf(one)}@${one.version}, whose licence is ${licenceOf(one)}`)),
    ]
  })
}

function isAllowed(component: Component): boolean {
  const licence = licenceOf(component)
  if (LICENCE_EXCEPTIONS.some((one) => one.name === nameOf(component) && one.licence === licence)) return true
  // "A AND B" requires both, "A OR B" is a choice. An expression with both operators needs a review.
  const names = licence.replace(/[()]/g, '')
  if (!names.includes(' AND ')) return names.split(' OR ').some((name) => ALLOWED_LICENCES.includes(name))
  return names.split(' AND ').every((name) => ALLOWED_LICENCES.includes(name))
}

function licenceOf({ licenses = [] }: Component): string {
  const all = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? 'unknown')
  return all.length === 0 ? 'unknown' : all.join(' AND ')
}
