import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { BadSettings } from '@probity/contract/settings'
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

/** For the settings of every app that reads uploads, so that they mean the same in each. */
export const STORAGE_SETTINGS = {
  UPLOADS_FOLDER: Type.Optional(
    Type.String({
      description:
        'Where uploaded files are kept, one folder for all processes; with UPLOADS_S3_BUCKET, where they lie while they are read.',
    }),
  ),
  UPLOADS_S3_BUCKET: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
      description: 'Keeps uploaded files in this S3 bucket.',
    }),
  ),
  UPLOADS_S3_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://[^/]+/?$',
      description: "The S3 server, as https://host; without it, Amazon's of the region.",
    }),
  ),
  UPLOADS_S3_REGION: Type.String({
    default: 'us-east-1',
    pattern: '^[A-Za-z0-9-]{1,64}$',
    description: "The bucket's region.",
  }),
  UPLOADS_S3_ACCESS_KEY_ID: Type.Optional(Type.String({ description: 'Who we are to the S3 server.' })),
  UPLOADS_S3_SECRET_ACCESS_KEY: Type.Optional(
    Type.String({ description: 'The secret that goes with UPLOADS_S3_ACCESS_KEY_ID.' }),
  ),
  UPLOADS_S3_PREFIX: Type.String({
    default: 'uploads/',
    pattern: '^([A-Za-z0-9_.-]+/)+$',
    description: 'What the names of our objects begin with, as folder/, so that a bucket can hold other things too.',
  }),
}

const StorageVariables = Type.Object(STORAGE_SETTINGS)

export function readStorage(vars: Static<typeof StorageVariables>): StorageSettings {
  const folder = vars.UPLOADS_FOLDER ?? join(tmpdir(), `probity-uploads-${userInfo().uid}`)
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
    throw new BadSettings(`These settings cannot be used:\n${missingFor({ bucket, accessKeyId, secretAccessKey })}`)
  }
  const { UPLOADS_S3_REGION: region, UPLOADS_S3_PREFIX: prefix } = vars
  return { kind: 's3', folder, bucket, endpoint, region, accessKeyId, secretAccessKey, prefix }
}

type Needed = Record<'bucket' | 'accessKeyId' | 'secretAccessKey', string | undefined>

const NAMES: Record<keyof Needed, string> = {
  bucket: 'UPLOADS_S3_BUCKET',
  accessKeyId: 'UPLOADS_S3_ACCESS_KEY_ID',
  secretAccessKey: 'UPLOADS_S3_SECRET_ACCESS_KEY',
}

function missingFor(needed: Needed): string {
  const missing = (['bucket', 'accessKeyId', 'secretAccessKey'] as const).filter((name) => needed[name] === undefined)
  return missing.map((name) => `  ${NAMES[name]} is missing. The bucket and both keys belong together.`).join('\n')
}
