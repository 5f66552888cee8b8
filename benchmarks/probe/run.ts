import type { BenchMode } from '../report/product-only.ts'
import { listMailboxes } from './addresses.ts'
import { countControls } from './control-recipients.ts'
import { measureFar, measureProductFar } from './distant.ts'
import { measureNear, measureProductNear } from './near.ts'
import { type BenchPostfix, startBenchPostfix } from './postfix.ts'

/**
 * How fast a Postfix as it comes can be asked for its mailboxes, far away and near: our way, the way of one connection and one
 * control recipient per address, and a bare loop that leaves out all care, all in one run. Every answer is held against the truth.
 */
export async function benchProbe(_args: string[], mode: BenchMode): Promise<object> {
  const cleanUp = new AsyncDisposableStack()
  try {
    const measured = startBenchPostfix(listMailboxes(), cleanUp).then(mode.isProductOnly ? measureProduct : measureAll)
    return await Promise.race([measured, interrupted()])
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

/** Only what the product does: fewer rounds, and neither the way of peers nor the bare loop. */
async function measureProduct(postfix: BenchPostfix) {
  return { ...(await measureProductFar(postfix)), ...(await measureProductNear(postfix)) }
}

/** Postfix would not notice a Ctrl-C by itself. */
function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error(`ended by ${signal}`)))
  })
}
