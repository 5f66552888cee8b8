import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { serveSharedInstances } from './testing/e2e/environment/shared-instance-server.ts'
import { listLeaks } from './testing/lab/src/leaks.ts'
import { makeFolder, removeFolder } from './testing/lab/src/services/daemon.ts'
import { startRedis } from './testing/lab/src/services/redis.ts'
import { listMisconduct } from './testing/lab/src/smtp/record.ts'
import { serveBuilds } from './vitest.builds.ts'
import { startMigratedPostgres } from './vitest.postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    redisUrl: string
    logFolder: string
    sharedInstances: string
    builds: string
  }
}

/** Real servers for one run, on separate ports, and a migrated database to copy for each test file. */
export default async function startServices(project: TestProject) {
  const [postgres, redis, builds] = await Promise.all([startMigratedPostgres(), startRedis(), serveBuilds()])
  const logFolder = makeFolder('probity-logs')
  const smtpRecord = join(logFolder, 'smtp-sessions.ndjson')
  process.env['PROBITY_SMTP_RECORD'] = smtpRecord // the processes that run the tests inherit it
  project.provide('postgresUrl', postgres.url)
  project.provide('redisUrl', redis.url)
  project.provide('logFolder', logFolder)
  const sharedInstances = await serveSharedInstances({ postgresUrl: postgres.url, logFolder })
  project.provide('sharedInstances', sharedInstances.url)
  project.provide('builds', builds.url)
  return async () => {
    builds.stop()
    await sharedInstances.stop()
    const leaks = [...listLeaks(logFolder), ...listLeaks(postgres.logFile)]
    const misconduct = listMisconduct(smtpRecord)
    await Promise.all([postgres.stop(), redis.stop()])
    removeFolder(logFolder)
    if (misconduct.length > 0) throw new Error(`Mail servers of this run were badly treated:\n${misconduct.join('\n')}`)
    if (leaks.length > 0) throw new Error(`The logs of this run hold keys or addresses:\n${leaks.join('\n')}`)
  }
}
