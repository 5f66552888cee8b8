/** Version of this package; a test compares it with package.json. */
export const VERSION = '0.1.0'

type Globals = {
  process?: { env?: Record<string, string | undefined>; versions?: Record<string, string | undefined> }
  Deno?: { version?: { deno?: string } }
  Bun?: { version?: string }
}

const globals = globalThis as Globals

/** Whether the code runs in a web page or a web worker. */
export function isBrowser(): boolean {
  return 'document' in globalThis || 'importScripts' in globalThis
}

/** An environment variable; undefined on platforms without environment, and where Deno denies access. */
export function findEnvironmentVariable(name: string): string | undefined {
  try {
    return globals.process?.env?.[name] || undefined
  } catch {
    return undefined
  }
}

/** Value of `X-Probity-Client`, for example `js/1.2.0 (node 24.1.0)`. */
export function describeClient(): string {
  return `js/${VERSION} (${describeRuntime()})`
}

function describeRuntime(): string {
  if (isBrowser()) return 'browser'
  // Deno and Bun also define `process.versions.node`.
  const { Deno, Bun, process } = globals
  if (Deno?.version?.deno !== undefined) return `deno ${Deno.version.deno}`
  if (Bun?.version !== undefined) return `bun ${Bun.version}`
  if (process?.versions?.['node'] !== undefined) return `node ${process.versions['node']}`
  return 'unknown'
}
