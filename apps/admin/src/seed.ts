import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { withSettings } from '@probity/settings/names'
import type { AdminConfig } from './config.ts'
import { Refusal } from './refusal.ts'

const SEED = fileURLToPath(new URL('../../../demo/seed/main.ts', import.meta.url))

/** The user of the demo data. */
export type SeededUser = { email: string; password: string }

/** Adds demo data to an empty database. Undefined if the database has other data. A separate process, because only the demo may import the whole system. */
export async function seedDatabase(
  { databaseUrl, ownerUrl }: AdminConfig,
  env: Record<string, string | undefined>,
): Promise<SeededUser | undefined> {
  const settings = { DATABASE_URL: databaseUrl, DATABASE_OWNER_URL: ownerUrl }
  const child = spawn(process.execPath, [SEED], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: withSettings(env, settings),
  })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (code !== 0) throw new Refusal('The demo data could not be added.')
  return output === '' ? undefined : (JSON.parse(output) as SeededUser)
}
