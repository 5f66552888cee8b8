import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { COMPILED } from '@probity/lab/compiled'
import { stopChild } from '@probity/lab/services/daemon'
import type { Victim } from './nemesis.ts'

/** A process of the product and its supervisor, which starts it again when it ends, as every installation has one. */
export type SupervisedProcess = Victim & {
  /** Ends when the process is ready: to kill it during its start tests nothing. */
  untilUp(): Promise<void>
  /** How often the process ended without being killed. */
  failures(): number
  stop(): Promise<void>
}

export type ProcessOptions = {
  args: string[]
  env?: Record<string, string>
  logFile: string
  /** Whether the process is ready; without this function, it sends a message when it is. */
  isUp?(): Promise<boolean>
}

const START_AGAIN_AFTER_MS = 500
/** After this many failures the process is not started again. */
const FAILURES_MAX = 200
const UP_WITHIN_MS = 30_000

export function startSupervised({ args, env = {}, logFile, isUp }: ProcessOptions): SupervisedProcess {
  const log = openSync(logFile, 'a')
  const meant = new WeakSet<ChildProcess>()
  const heard = new WeakSet<ChildProcess>()
  let failures = 0
  let isStopped = false

  const start = (): ChildProcess => {
    const started = spawn(process.execPath, args, {
      stdio: ['ignore', log, log, 'ipc'],
      env: { ...COMPILED, ...env },
      detached: true,
    })
    started.once('message', () => heard.add(started))
    started.once('exit', () => {
      if (meant.has(started)) return
      failures += 1
      setTimeout(() => startAfter(started), START_AGAIN_AFTER_MS)
    })
    return started
  }
  /** Starts the process again unless it was killed or started in the meantime. */
  const startAfter = (ended: ChildProcess) => {
    const isMine = child === ended && !meant.has(ended) && !isStopped
    if (isMine && failures < FAILURES_MAX) child = start()
  }
  const untilUp = async () => {
    const deadline = Date.now() + UP_WITHIN_MS
    const isReady = isUp ?? (async () => heard.has(child))
    while (!isStopped && Date.now() < deadline && !(await isReady())) await sleep(50)
  }
  let child = start()
  const signal = (name: NodeJS.Signals) => void child.kill(name)

  return {
    untilUp,
    failures: () => failures,
    async kill() {
      meant.add(child)
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
    async revive() {
      if (isStopped) return
      child = start()
      await untilUp()
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async stop() {
      isStopped = true
      meant.add(child)
      signal('SIGCONT')
      await stopChild(child, 'SIGTERM')
    },
  }
}
