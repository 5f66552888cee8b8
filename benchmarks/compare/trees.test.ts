import { expect, test } from 'vitest'
import { runCommand, runOrFail } from './trees.ts'

const OPTIONS = { cwd: import.meta.dirname, limitMs: 20_000, signal: new AbortController().signal }

test('runCommand returns the exit code and both outputs', async () => {
  const result = await runCommand(['sh', '-c', 'echo out; echo err >&2; exit 3'], OPTIONS)
  expect(result).toEqual({ code: 3, stdout: 'out\n', stderr: 'err\n' })
})

test('runCommand ends a program and its children at the time limit', async () => {
  // The child holds the output open: the call would wait for 60 s if only the shell were ended.
  const running = runCommand(['sh', '-c', 'echo started >&2; sleep 60 & sleep 60'], { ...OPTIONS, limitMs: 300 })
  await expect(running).rejects.toThrow(/took longer than 0.3 s. Its last output:\n {2}started$/)
})

test('runCommand ends a program when the signal aborts', async () => {
  const stop = new AbortController()
  const running = runCommand(['sleep', '60'], { ...OPTIONS, signal: stop.signal })
  stop.abort()
  await expect(running).rejects.toThrow('aborted')
})

test('runOrFail shows the last output of a program that fails', async () => {
  await expect(runOrFail(['sh', '-c', 'echo broken >&2; exit 1'], OPTIONS)).rejects.toThrow(
    /ended with exit code 1. Its last output:\n {2}broken$/,
  )
})
