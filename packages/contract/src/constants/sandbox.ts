import { SANDBOX_CASES, type SandboxCase } from './data/sandbox.ts'
import { formatKey } from './keys.ts'
import { SUB_STATUSES, type SubStatus } from './validations.ts'

/** Public test key without an account. It can only validate addresses and test delivery reports. */
export const PUBLIC_SANDBOX_KEY = formatKey('test', 'PublicSandboxPublicSandboxPublic')

/** All cases of the sandbox by name. */
export const SANDBOX: Record<string, SandboxCase> = { ...casesOfReasons(), ...SANDBOX_CASES }

function casesOfReasons(): Record<string, SandboxCase> {
  const reasons = Object.entries(SUB_STATUSES).filter(([name]) => name !== '' && name !== 'sandbox_unmapped')
  return Object.fromEntries(
    reasons.map(([name, { status, meaning }]) => [
      name.replaceAll('_', '-'),
      { kind: 'verdict', subStatus: name as SubStatus, meaning: `${status}: ${meaning}` },
    ]),
  )
}

/** Sandbox entry of an address, by the tag of the local part or by the whole local part. */
export function findSandboxCase(email: string): SandboxCase | undefined {
  const local = partsOf(email).local.toLowerCase()
  const names = [local.slice(local.indexOf('+') + 1), local]
  const name = names.find((candidate) => Object.hasOwn(SANDBOX, candidate))
  return name === undefined ? undefined : SANDBOX[name]
}

/** Splits at the last `@`, without checking the syntax. */
export function partsOf(email: string): { local: string; domain: string } {
  const at = email.lastIndexOf('@')
  return { local: email.slice(0, Math.max(0, at)), domain: email.slice(at + 1) }
}
