import type { Probity } from '@probity/sdk'
import type { Command } from 'commander'
import { type Output, type OutputFlags, openOutput } from './output/output.ts'
import { type Environment, getKey, readSettings, type SettingFlags, type Settings } from './settings.ts'
import { openTerminal, type Streams, type Terminal, type TerminalFlags } from './terminal.ts'
import { checkWritable } from './write-file.ts'

/** The process, as `main.ts` passes it to the commands. */
export type Stage = {
  streams: Streams
  env: Environment
  /** Aborted by the first Ctrl-C. */
  signal: AbortSignal
}

/** One run of a command. */
export type Run = { terminal: Terminal; output: Output; settings: Settings; env: Environment; signal: AbortSignal }

type CommonFlags = TerminalFlags & SettingFlags & OutputFlags & { dryRun?: boolean }

/** The action of a command for commander. */
export function createAction<Flags extends object>(
  { streams, env, signal }: Stage,
  work: (run: Run, flags: Flags, ...args: never[]) => Promise<void>,
) {
  return async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command
    const flags = command.optsWithGlobals<Flags & CommonFlags>()
    if (flags.output !== undefined && flags.output !== '-') await checkWritable(flags.output)
    const terminal = openTerminal(streams, env, flags)
    const output = openOutput(terminal, flags.dryRun ? forDryRun(flags, command) : flags)
    const run = { terminal, output, settings: readSettings(env, flags), env, signal }
    await work(run, flags, ...(given.slice(0, -2) as never[]))
  }
}

/** The cost goes to standard output: the file of `-o` may contain the results of an earlier run. */
function forDryRun({ format, json = false }: OutputFlags, command: Command): OutputFlags {
  return { json, format: command.getOptionValueSource('format') === 'default' ? 'table' : format }
}

export async function openClient({ settings, terminal }: Pick<Run, 'settings' | 'terminal'>): Promise<Probity> {
  const { text: apiKey } = getKey(settings)
  const { Probity } = await import('@probity/sdk')
  return new Probity({ apiKey, baseUrl: settings.baseUrl, onResponse: (attempt) => logRequest(terminal, attempt) })
}

type Attempt = {
  method: string
  url: string
  status: number | undefined
  requestId: string | undefined
  durationMs: number
}

/** For --verbose. Bodies and queries may contain addresses and are left out. */
export function logRequest(
  { isVerbose, stderr }: Terminal,
  { method, url, status, requestId, durationMs }: Attempt,
): void {
  if (!isVerbose) return
  const outcome = status === undefined ? 'failed' : [status, requestId].filter((part) => part !== undefined).join(' ')
  stderr.write(`${method} ${new URL(url).pathname} ${outcome}, ${Math.round(durationMs)} ms\n`)
}
