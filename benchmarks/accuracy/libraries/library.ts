import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Limits } from './drive.ts'

/** Who we say we are to mail servers, whoever of us asks. */
export const SENDER = { domain: 'probity.example', address: 'bounce@probity.example' }

/** What a script for a peer is told: where the peer is installed, and its limits. */
export type PeerTask = Limits & { folder: string }

export function readTask(): PeerTask {
  return JSON.parse(process.argv[2] ?? '') as PeerTask
}

/** A package out of the folder it was installed into. Its shape is what its own documentation says. */
export function loadPeer<T>(name: string, folder: string): T {
  // Some of them let an error of a socket fall through. It costs them the address, not the rest of the run.
  process.on('uncaughtException', (error) => process.stderr.write(`${name}: ${error.message}\n`))
  return createRequire(join(folder, 'package.json'))(name) as T
}
