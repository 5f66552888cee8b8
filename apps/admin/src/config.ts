import { AdminSettings } from '@probity/settings/admin-settings'
import { readSettings } from '@probity/settings/parse'

export type AdminConfig = {
  databaseUrl: string
  ownerUrl: string
  redisUrl: string
  port: number
  publicUrl: string | undefined
  /** Where somebody else keeps the built web application and the built docs; undefined for our own, which are built where they are not. */
  webFolder: string | undefined
  docsFolder: string | undefined
}

/** Reads and checks the settings of the operator's commands. */
export function readConfig(env: Record<string, string | undefined>): AdminConfig {
  return readSettings(AdminSettings, env, (vars) => ({
    databaseUrl: vars.DATABASE_URL,
    ownerUrl: vars.DATABASE_OWNER_URL ?? vars.DATABASE_URL,
    redisUrl: vars.REDIS_URL,
    port: vars.PORT,
    publicUrl: vars.PUBLIC_URL?.replace(/\/+$/, ''),
    webFolder: vars.WEB_FOLDER,
    docsFolder: vars.DOCS_FOLDER,
  }))
}
