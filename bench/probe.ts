import { countControls } from './probe-controls.ts'
import { measureFar } from './probe-far.ts'
import { listMailboxes } from './probe-list.ts'
import { measureNear } from './probe-near.ts'
import { type BenchPostfix, startBenchPostfix } from './probe-postfix.ts'

/**
 * How fast a Postfix as it comes can be asked for its mailboxes, far away and near: our way, the way of one connection and one
 * control recipient per address, and a bare loop that leaves out all care, all in one run. Every answer is held against the truth.
 */
export async function benchProbe() {
  const cleanUp = new AsyncDisposableStack()
  try {
    return await Promise.race([startBenchPostfix(listMailboxes(), cleanUp).then(measureAll), interrupted()])
  } finally {
    await cleanUp.disposeAsync()
  }
}

async function measureAll(postfix: BenchPostfix) {
  const far = await measureFar(postfix)
  const controls = await countControls(postfix)
  const near = await measureNear(postfix)
  return { ...far, ...controls, ...near }
}

/** Postfix would not notice a Ctrl-C by itself. */
function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error(`ended by ${signal}`)))
  })
}
