import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { makeFolder, removeFolder } from '../services/daemon.ts'
import { whenDone } from '../when-done.ts'
import { startProcess } from './process.ts'
import { listProcesses } from './test-processes.ts'

/** A server with two children, one of which ignores signals, in a folder by which all three are found. */
const SERVER = ['/bin/sh', '-c', 'cd "$0"; (trap "" TERM; exec sleep 300) & sleep 300; true']

function makeOwnFolder(): string {
  const folder = makeFolder('probity-process')
  whenDone(() => removeFolder(folder))
  return folder
}

test('ending a server ends its child processes too', async () => {
  const folder = makeOwnFolder()
  const cleanUp = new AsyncDisposableStack()
  await startProcess([...SERVER, folder], { logFile: join(folder, 'log'), answersAt: [], cleanUp })
  await vi.waitFor(() => expect(listProcesses(folder)).toHaveLength(3))
  await cleanUp.disposeAsync()
  await vi.waitFor(() => expect(listProcesses(folder)).toEqual([]))
})

test('a killed test process leaves no server running', async () => {
  const folder = makeOwnFolder()
  const script = `
    import { startProcess } from ${JSON.stringify(join(import.meta.dirname, 'process.ts'))}
    const options = { logFile: ${JSON.stringify(join(folder, 'log'))}, answersAt: [], cleanUp: new AsyncDisposableStack() }
    await startProcess(${JSON.stringify([...SERVER, folder])}, options)
  `
  const starter = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' })
  await vi.waitFor(() => expect(listProcesses(folder).length).toBeGreaterThanOrEqual(3), { timeout: 10_000 })
  starter.kill('SIGKILL')
  await vi.waitFor(() => expect(listProcesses(folder)).toEqual([]), { timeout: 5_000 })
})

test('startProcess reports the output of a server that fails to start', async () => {
  const folder = makeOwnFolder()
  const cleanUp = new AsyncDisposableStack()
  whenDone(() => cleanUp.disposeAsync())
  const options = { logFile: join(folder, 'log'), answersAt: [{ host: '127.26.0.1', port: 1 }], cleanUp }
  await expect(startProcess(['/bin/sh', '-c', 'echo no spoon; exit 1'], options)).rejects.toThrow('no spoon')
  await expect(startProcess([join(folder, 'none')], options)).rejects.toThrow('cannot be run')
})
