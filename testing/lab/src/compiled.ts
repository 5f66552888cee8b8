import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

const folder = getCompileCacheDir() // of this version of Node, below that of all versions

/**
 * For a process that knows no settings but its own: what Node compiled for the one before is there for the next, if this run keeps it.
 * Most of a short life is spent on starting.
 */
export const COMPILED: { NODE_COMPILE_CACHE?: string } =
  folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
