import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

const folder = getCompileCacheDir() // The folder of this Node version, below the folder of all versions.

/**
 * For a process that reads no settings but its own: Node's compile cache, which the next process reuses if this run
 * keeps it. Startup takes most of the time of a short process.
 */
export const COMPILED: { NODE_COMPILE_CACHE?: string } =
  folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
