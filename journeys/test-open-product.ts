import { createTestDatabase } from '@probity/database/test-database'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { listSettings, startListWorker, startTestWorld, type TestWorld } from './test-lists.ts'
import { startApiProcess } from './test-process.ts'
import { type Product, startProduct } from './test-product.ts'

/** The last one lets each window have an address of its own, or all tests together would be one who tries too often. */
export const OPEN = { SIGN_UP: 'open', NEW_ACCOUNT_CREDITS: '10000', TRUST_PROXY: '127.0.0.1' }

/** The product with its doors open: anybody may sign up, and an organisation begins with credits. */
export function startOpenProduct(changes: Record<string, string> = {}): Promise<Product> {
  return startProduct({ ...OPEN, ...changes })
}

/** The same over a world of mail servers that has so many plain addresses. */
export async function startOpenWorld(addresses: number): Promise<Product & { world: TestWorld }> {
  const redis = await startRedis()
  whenDone(() => redis.stop())
  const [database, world] = await Promise.all([createTestDatabase(), startTestWorld(addresses)])
  const settings = { ...listSettings(database.url, redis.url), ...OPEN }
  const [api, worker] = await Promise.all([startApiProcess(settings), startListWorker(settings, world)])
  return { ...database, api, worker, settings, world }
}
