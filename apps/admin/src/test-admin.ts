import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { COMPILED } from '@probity/lab/compiled'
import { expect, inject } from 'vitest'

export const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))

export type Ran = { code: number; stdout: string; stderr: string }

/** Runs one command in its own process, with these settings only. */
export async function runAdmin(databaseUrl: string, ...words: (string | Record<string, string>)[]): Promise<Ran> {
  const args = words.filter((word) => typeof word === 'string')
  const settings = words.filter((word) => typeof word !== 'string')
  const env = Object.assign({ ...COMPILED, DATABASE_URL: databaseUrl, REDIS_URL: inject('redisUrl') }, ...settings)
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env })
  const ran = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      ran[stream] += text
    })
  }
  const [code] = await once(child, 'close')
  return { code, ...ran }
}

/** The JSON output of a command that succeeded without a message. */
export function resultOf<T = Record<string, unknown>>({ code, stdout, stderr }: Ran): T {
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as T
}

/** The one-line error of a command, without a stack trace and without a result. */
export function refusalOf({ code, stdout, stderr }: Ran): string {
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^[^\n]+\n$/)
  return stderr.trimEnd()
}
