#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import manifest from '../package.json' with { type: 'json' }
import { EXIT_CODES } from './data/exit-codes.ts'
import { Refusal } from './refusal.ts'

// Half of the time until the first word goes into reading our own sources, which are the same the next time.
enableCompileCache()

/** The command `probity`: validates addresses and lists by way of the service, or alone. */
const interruption = new AbortController()
process.on('SIGINT', () => {
  // Whoever is in a hurry is not kept.
  if (interruption.signal.aborted) process.exit(EXIT_CODES.interrupted.code)
  interruption.abort(new Refusal('interrupted', 'Interrupted.'))
})
// Whoever reads our results may have read enough, as head does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(EXIT_CODES.ok.code)
})

const args = process.argv.slice(2)
// The libraries that draw ask the environment alone.
if (args.includes('--no-color')) process.env['NO_COLOR'] = '1'
try {
  const { buildProgram } = await import('./program.ts')
  const stage = {
    streams: { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr },
    env: process.env,
    signal: interruption.signal,
  }
  await buildProgram(stage, manifest.version).parseAsync(args, { from: 'user' })
} catch (error) {
  const { explain } = await import('./output/explain.ts')
  const { exit, text } = explain(error, args)
  process.stderr.write(text)
  process.exitCode = EXIT_CODES[exit].code
}
