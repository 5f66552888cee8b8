import type { BenchMode } from '../report/product-only.ts'
import { listMailboxes } from './addresses.ts'
import { countControls } from './control-recipients.ts'
import { measureFar, measureProductFar } from './distant.ts'
import { measureNear, measureProductNear } from './near.ts'
import { type BenchPostfix, startBenchPostfix } from './postfix.ts'

/**
 * The probing speed at a Postfix with default settings, far and near: the product's method, the method with one
 * connection and one control recipient per address, and a bare loop without any care, all in one run. Every result is
 * compared with the expected one.
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

/** Only the product's figures: fewer rounds, without the comparison method and the bare loop. */
async function measureProduct(postfix: BenchPostfix) {
  return { ...(await measureProductFar(postfix)), ...(await measureProductNear(postfix)) }
}

/** Postfix is in its own process group and does not receive Ctrl-C. */
function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error(`ended by ${signal}`)))
  })
}
