import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Limits } from './drive.ts'

/** The HELO name and sender for mail servers, the same for every validator. */
export const SENDER = { domain: 'probity.example', address: 'bounce@probity.example' }

/** The task of a library script: the installation folder and the limits. */
export type PeerTask = Limits & { folder: string }

export function readTask(): PeerTask {
  return JSON.parse(process.argv[2] ?? '') as PeerTask
}

/** A package from its installation folder. Its type follows its own documentation. */
export function loadPeer<T>(name: string, folder: string): T {
  // Some libraries leave socket errors uncaught. That costs them the address, not the rest of the run.
  process.on('uncaughtException', (error) => process.stderr.write(`${name}: ${error.message}\n`))
  return createRequire(join(folder, 'package.json'))(name) as T
}
