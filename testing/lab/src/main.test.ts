import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, removeFolder } from './services/daemon.ts'
import { whenDone } from './when-done.ts'

/**
 * Runs `pnpm lab` with these arguments until it ends, or until it prints the hint about Ctrl-C, and then sends SIGINT.
 */
async function runLab(...args: string[]) {
  const lab = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args])
  whenDone(() => lab.kill('SIGKILL'))
  let output = ''
  let isAsked = false
  const hear = (bytes: Buffer) => {
    output += bytes.toString()
    if (isAsked || !output.includes('Ctrl-C ends it.')) return
    isAsked = true
    lab.kill('SIGINT')
  }
  lab.stdout.on('data', hear)
  lab.stderr.on('data', hear)
  const [code] = (await once(lab, 'close')) as [number]
  return { output, code }
}

test('lab prints a simulation, writes its list and ends on Ctrl-C', async () => {
  const folder = makeFolder('probity-lab')
  whenDone(() => removeFolder(folder))
  const file = join(folder, 'list.csv')
  const { output, code } = await runLab(
    'world',
    '--seed',
    '4',
    '--domains',
    '150',
    '--addresses',
    '5000',
    '--list',
    file,
  )
  expect(code).toBe(0)
  expect(output).toMatch(/A world of 150 domains and 5000 addresses, seed 4\./)
  expect(output).toMatch(/@yahoo\.com {3}exists: yes {3}verdict: unknown \(provider_unverifiable\)/)
  expect(output).toMatch(/dig @127\.0\.0\.1 -p \d+ gmail\.com MX/)

  const [head, ...rows] = readFileSync(file, 'utf8').trimEnd().split('\r\n')
  expect(head).toBe('email,exists,behaviour,status,sub_status,truthful,knowable')
  expect(rows).toHaveLength(5_000)
  for (const row of [
    /@gmail\.com,yes,gmail,valid,,true,true$/,
    /,mox,risky\|unknown,catch_all\|provider_unverifiable,false,false$/,
    /^"[^"]+,[^"]+",no,broken,invalid,syntax_error,true,true$/,
  ]) {
    expect(rows.filter((text) => row.test(text)).length, String(row)).toBeGreaterThan(0)
  }
})

test('lab starts one world on request', async () => {
  const { output, code } = await runLab('world', '--only', 'backup_true')
  expect(code).toBe(0)
  expect(output).toMatch(/A world of 20 domains and 500 addresses, backup_true: The first server refuses connections/)
  expect(output).toMatch(/@backup-true-\d+\.example {3}exists: no {3}verdict: invalid \(mailbox_not_found\)/)
  expect(output).toMatch(/dig @127\.0\.0\.1 -p \d+ mx1\.backup-true-\d+\.example A/)
  expect(await runLab('world', '--only', 'atlantis')).toMatchObject({
    code: 1,
    output: expect.stringMatching(/Allowed choices are backup_accepts_all_0, .*resolver_lies_wildcard/),
  })
})

test('lab prints its usage without arguments and the error of incomplete arguments', async () => {
  expect(await runLab()).toMatchObject({ code: 0, output: expect.stringMatching(/world \[options\]/) })
  const { output, code } = await runLab('world', '--domains', '3')
  expect(code).toBe(1)
  expect(output).toMatch(/^error: option '--domains <count>' argument '3' is invalid\. With fewer than \d+/)
})
