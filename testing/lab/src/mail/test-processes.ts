import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Ids of the processes that have a text in their command line, their working folder or their root. */
export function listProcesses(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && describe(join('/proc', name)).includes(text))
    .map(Number)
}

function describe(folder: string): string {
  try {
    const command = readFileSync(join(folder, 'cmdline'), 'utf8').replaceAll('\0', ' ')
    return [command, readlinkSync(join(folder, 'root')), readlinkSync(join(folder, 'cwd'))].join('\n')
  } catch {
    return '' // the process has just ended
  }
}
