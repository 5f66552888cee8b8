import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** One load: connections, duration, and the request as a Lua script for wrk. */
export type Load = { url: string; script: string; connections: number; seconds: number; folder: string }
export type Figures = { rps: number; p99Ms: number; errors: number }

/** Runs Debian's wrk with one thread and parses its report. Responses other than 2xx and 3xx count as errors. */
export function runWrk({ url, script, connections, seconds, folder }: Load): Figures {
  const file = join(folder, 'request.lua')
  writeFileSync(file, script)
  const options = [
    '-t',
    '1',
    '-c',
    String(connections),
    '-d',
    `${seconds}s`,
    '--latency',
    '--timeout',
    '30s',
    '-s',
    file,
  ]
  const report = execFileSync('wrk', [...options, url], { encoding: 'utf8' })
  const sum = (pattern: RegExp) => [...report.matchAll(pattern)].reduce((all, [, n]) => all + Number(n), 0)
  return {
    rps: Number(report.match(/Requests\/sec:\s+([\d.]+)/)?.[1] ?? 0),
    p99Ms: readTime(report.match(/99%\s+([\d.]+)(us|ms|s)/)),
    errors: sum(/Non-2xx or 3xx responses: (\d+)/g) + sum(/(?:connect|read|write|timeout) (\d+)/g),
  }
}

const MS: Record<string, number> = { us: 0.001, ms: 1, s: 1_000 }

function readTime(match: RegExpMatchArray | null): number {
  return Number(match?.[1] ?? 0) * (MS[match?.[2] ?? 'ms'] ?? 1)
}
