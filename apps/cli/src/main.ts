#!/usr/bin/env node
import nodeModule from 'node:module'
import manifest from '../package.json' with { type: 'json' }
import { CliError } from './cli-error.ts'
import { EXIT_CODES } from './data/exit-codes.ts'

// Halves the start time: the sources are compiled once. Node 20 does not have it.
nodeModule.enableCompileCache?.()

const interruption = new AbortController()
process.on('SIGINT', () => {
  // The second Ctrl-C exits at once.
  if (interruption.signal.aborted) process.exit(EXIT_CODES.interrupted.code)
  interruption.abort(new CliError('interrupted', 'Interrupted.'))
})
// The reader of a pipe may close it early, as head does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(EXIT_CODES.ok.code)
})

const args = process.argv.slice(2)
// The libraries for prompts and progress read the environment only.
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
  const { explainError } = await import('./output/explain.ts')
  const { exit, text } = explainError(error, args)
  process.stderr.write(text)
  process.exitCode = EXIT_CODES[exit].code
}
