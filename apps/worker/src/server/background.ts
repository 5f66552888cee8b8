import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { connect, type Db, withoutTenant } from '@probity/database/connection/connect'
import { startNotingProcess } from '@probity/database/system/processes'
import { rejectForeignSchema } from '@probity/database/system/schema-version'
import { createAdmission } from '@probity/redis/admission'
import { connectRedis } from '@probity/redis/connection'
import { openStorage } from '@probity/uploads/open-storage'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import manifest from '../../package.json' with { type: 'json' }
import type { WorkerConfig } from './config.ts'
import type { RunningTasks } from './work.ts'

type Common = { log: Logger; metrics: Registry }
type Context = Common & { config: WorkerConfig; db: Db; redis: Redis }

/** Runs maintenance and notifications, with a database role of their own. */
export async function startBackground(config: WorkerConfig, { log, metrics }: Common): Promise<RunningTasks> {
  const db = connect(config.maintenanceUrl, {
    connectionsMax: config.databaseConnections,
    applicationName: 'probity-maintenance',
    programRole: 'probity_maintenance',
  })
  await rejectForeignSchema(db).catch(async (error: unknown) => {
    await db.destroy()
    throw error
  })
  const redis = connectRedis(config.redisUrl)
  const context = { config, db, redis, log, metrics }
  const tasks = config.tasks.filter((task) => task === 'maintenance' || task === 'notifications')
  const parts = await Promise.all(
    tasks.map((task) => (task === 'maintenance' ? startMaintenanceTask(context) : startNotificationsTask(context))),
  )
  const facts = { host: hostname(), tasks }
  const note = { id: randomUUID(), kind: 'maintenance', version: manifest.version, facts } as const
  const heartbeats = startNotingProcess(db, note, (error) => log.debug({ err: error }, 'heartbeat failed'))
  return {
    dependencies: { postgres: () => withoutTenant(db, async () => undefined), redis: () => redis.ping() },
    async stop() {
      await Promise.all(parts.map((part) => part?.stop()))
      await heartbeats.stop()
      redis.disconnect()
      await db.destroy()
    },
  }
}

async function startMaintenanceTask({ config, db, log, metrics }: Context) {
  const { startMaintenance } = await import('../maintenance/maintenance.ts')
  const { createMaintenanceMetrics } = await import('../maintenance/metrics.ts')
  const storage = openStorage(config.storage)
  return startMaintenance({ db, storage, metrics: createMaintenanceMetrics(metrics), log })
}

/** Without an SMTP relay no notifications are sent: the log contains only links that a user requested. */
async function startNotificationsTask({ config: { mail, publicUrl }, db, redis, log }: Context) {
  if (mail === undefined || publicUrl === undefined) {
    log.info('email notifications are off: no SMTP relay is configured (PROBITY_MAIL_URL)')
    return undefined
  }
  const { openMailer } = await import('@probity/email/send')
  const { startNotifications } = await import('../notifications/notifications.ts')
  const mailer = openMailer(mail, log)
  const appUrl = `${publicUrl.replace(/(?<!\/)\/+$/, '')}/app`
  const sending = startNotifications({ db, mailer, admission: createAdmission(redis), appUrl, log })
  return {
    async stop() {
      await sending.stop()
      mailer.close()
    },
  }
}
