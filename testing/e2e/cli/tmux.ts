import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, vi } from 'vitest'

const run = promisify(execFile)

/** Includes the start of a process on a busy machine. */
const SHOWN_WITHIN_MS = 30_000

/** A terminal with a shell, on its own tmux server. Its output can be read with control codes. */
export async function openTmux(env: Record<string, string>, cwd: string) {
  const folder = makeFolder('probity-tmux')
  const socket = join(folder, 'socket')
  const sent = join(folder, 'sent')
  const tmux = async (...args: string[]) =>
    (await run('tmux', ['-S', socket, '-f', '/dev/null', ...args], { env, cwd })).stdout
  await tmux('new-session', '-d', '-x', '100', '-y', '40', 'bash --norc --noprofile')
  whenDone(async () => {
    await tmux('kill-server').catch(() => undefined) // the server ends with its last shell
    removeFolder(folder)
  })
  await tmux('pipe-pane', `cat >>${sent}`)
  const screen = async () => (await tmux('capture-pane', '-p', '-J')).replace(/ +$/gm, '')
  return {
    screen,
    /** All output so far, including what is no longer visible. */
    sent: () => readFileSync(sent, 'utf8'),
    type: (text: string) => tmux('send-keys', '-l', text),
    press: (key: string) => tmux('send-keys', key),
    async enter(line: string) {
      await tmux('send-keys', '-l', line)
      await tmux('send-keys', 'Enter')
    },
    async sees(pattern: RegExp): Promise<string> {
      await vi.waitFor(async () => expect(await screen()).toMatch(pattern), { timeout: SHOWN_WITHIN_MS, interval: 100 })
      return screen()
    },
  }
}
