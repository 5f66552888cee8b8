import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { BadSettings, type SettingFault } from '@probity/settings/bad-settings'
import { UPLOADS_SETTINGS } from '@probity/settings/uploads-settings'
import Type, { type Static } from 'typebox'

/** Where uploaded files are kept: in a folder that all hosts share, or in a bucket, and then the folder is this host's own. */
export type StorageSettings = { kind: 'folder'; folder: string } | ({ kind: 's3'; folder: string } & S3Settings)

export type S3Settings = {
  bucket: string
  /** Undefined for Amazon's own. */
  endpoint: string | undefined
  region: string
  accessKeyId: string
  secretAccessKey: string
  prefix: string
}

const StorageVariables = Type.Object(UPLOADS_SETTINGS)

export function readStorage(vars: Static<typeof StorageVariables>): StorageSettings {
  const folder = vars.UPLOADS_FOLDER ?? defaultUploadsFolder()
  const {
    UPLOADS_S3_BUCKET: bucket,
    UPLOADS_S3_ACCESS_KEY_ID: accessKeyId,
    UPLOADS_S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = vars
  const endpoint = vars.UPLOADS_S3_ENDPOINT
  if (bucket === undefined && endpoint === undefined && accessKeyId === undefined && secretAccessKey === undefined) {
    return { kind: 'folder', folder }
  }
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    throw new BadSettings(listMissing({ bucket, accessKeyId, secretAccessKey }))
  }
  const { UPLOADS_S3_REGION: region, UPLOADS_S3_PREFIX: prefix } = vars
  return { kind: 's3', folder, bucket, endpoint, region, accessKeyId, secretAccessKey, prefix }
}

export function defaultUploadsFolder(): string {
  return join(tmpdir(), `probity-uploads-${userInfo().uid}`)
}

type Needed = Record<'bucket' | 'accessKeyId' | 'secretAccessKey', string | undefined>

const NAMES: Record<keyof Needed, string> = {
  bucket: 'UPLOADS_S3_BUCKET',
  accessKeyId: 'UPLOADS_S3_ACCESS_KEY_ID',
  secretAccessKey: 'UPLOADS_S3_SECRET_ACCESS_KEY',
}

function listMissing(needed: Needed): SettingFault[] {
  const missing = (['bucket', 'accessKeyId', 'secretAccessKey'] as const).filter((name) => needed[name] === undefined)
  return missing.map((key) => ({
    name: NAMES[key],
    says: `PROBITY_${NAMES[key]} is missing. The bucket and both access keys must be set together.`,
  }))
}
