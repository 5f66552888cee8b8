import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { COMPILED } from '@probity/lab/compiled'
import { stopChild } from '@probity/lab/services/daemon'
import type { Victim } from './nemesis.ts'

/** A process of the product together with somebody who starts it again when it ends, as every installation has. */
export type Program = Victim & {
  /** Who is killed before it is at work dies of nothing worth knowing. */
  untilUp(): Promise<void>
  /** How often it ended though nobody had killed it. */
  failures(): number
  stop(): Promise<void>
}

export type ProgramOptions = {
  args: string[]
  env?: Record<string, string>
  logFile: string
  /** Whether it is at work; where nothing is said, it says so itself by a message. */
  isUp?(): Promise<boolean>
}

const START_AGAIN_AFTER_MS = 500
/** One that fails as often as this never comes up. */
const FAILURES_MAX = 200
const UP_WITHIN_MS = 30_000

export function startProgram({ args, env = {}, logFile, isUp }: ProgramOptions): Program {
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
  /** Unless somebody has killed it or started it since. */
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
