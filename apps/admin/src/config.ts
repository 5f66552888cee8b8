import type { Egress } from '@probity/engine/smtp/protocol/dial'
import { AdminSettings } from '@probity/settings/admin-settings'
import { readEgresses } from '@probity/settings/egresses'
import { readList } from '@probity/settings/formats'
import { readSettings } from '@probity/settings/parse'
import { defaultUploadsFolder } from '@probity/uploads/storage'

export type Environment = Record<string, string | undefined>

export type AdminConfig = {
  databaseUrl: string
  ownerUrl: string
  redisUrl: string
  port: number
  publicUrl: string | undefined
  /** Folders of externally built web application and docs; undefined for our own, which are built on demand. */
  webFolder: string | undefined
  docsFolder: string | undefined
  /** Worker settings for the doctor, read on demand so that other commands do not fail on settings that they do not need. */
  readWorker(): WorkerSide
}

export type WorkerSide = {
  dnsServers: string[]
  egresses: Egress[]
  deniedAddresses: string[]
  uploadsFolder: string
}

/** Reads and validates the settings of the operator commands. */
export function readConfig(env: Environment): AdminConfig {
  return readSettings(AdminSettings, env, (vars) => ({
    databaseUrl: vars.DATABASE_URL,
    ownerUrl: vars.DATABASE_OWNER_URL ?? vars.DATABASE_URL,
    redisUrl: vars.REDIS_URL,
    port: vars.PORT,
    publicUrl: vars.PUBLIC_URL?.replace(/(?<!\/)\/+$/, ''),
    webFolder: vars.WEB_FOLDER,
    docsFolder: vars.DOCS_FOLDER,
    readWorker: () => ({
      dnsServers: readList(vars.DNS_SERVERS),
      egresses: readEgresses({
        heloName: vars.SMTP_HELO_NAME,
        mailFrom: vars.SMTP_MAIL_FROM,
        egress: vars.SMTP_EGRESS,
      }),
      deniedAddresses: readList(vars.SMTP_DENY),
      uploadsFolder: vars.UPLOADS_FOLDER ?? defaultUploadsFolder(),
    }),
  }))
}
