import type { Probity } from '@probity/sdk'
import type { Command } from 'commander'
import { type Environment, getKey, readSettings, type Settings } from './settings.ts'
import { type Looks, openTerminal, type Streams, type Terminal } from './terminal.ts'

/** What `main.ts` hands to the commands. */
export type Stage = {
  streams: Streams
  env: Environment
  /** Ended by the first Ctrl-C. */
  signal: AbortSignal
}

/** One command at work. */
export type Run = { terminal: Terminal; settings: Settings; env: Environment; signal: AbortSignal }

/** What every command takes. */
export type GlobalFlags = Looks & { baseUrl?: string }

/** The action of a command: opens what it needs once its flags are known. */
export function act<Flags extends object>(
  { streams, env, signal }: Stage,
  work: (run: Run, flags: Flags, ...args: never[]) => Promise<void>,
) {
  return async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command
    const flags = command.optsWithGlobals<Flags & GlobalFlags>()
    const terminal = openTerminal(streams, env, flags)
    const settings = readSettings(env, flags)
    await work({ terminal, settings, env, signal }, flags, ...(given.slice(0, -2) as never[]))
  }
}

export async function openClient({ settings, terminal }: Pick<Run, 'settings' | 'terminal'>): Promise<Probity> {
  const { text } = getKey(settings)
  const { Probity } = await import('@probity/sdk')
  const fetch = terminal.isVerbose ? loudFetch(terminal) : undefined
  return new Probity({ apiKey: text, baseUrl: settings.baseUrl, ...(fetch && { fetch }) })
}

/** For --verbose: every request with its path and its id. Bodies and queries may hold addresses and are not shown. */
function loudFetch({ stderr }: Terminal): typeof fetch {
  return async (input, init) => {
    const began = performance.now()
    const { pathname } = new URL(input instanceof Request ? input.url : input)
    const tell = (what: string) =>
      stderr.write(`${init?.method ?? 'GET'} ${pathname} ${what}, ${Math.round(performance.now() - began)} ms\n`)
    try {
      const response = await fetch(input, init)
      tell(`${response.status} ${response.headers.get('request-id') ?? ''}`.trimEnd())
      return response
    } catch (error) {
      tell('failed')
      throw error
    }
  }
}
