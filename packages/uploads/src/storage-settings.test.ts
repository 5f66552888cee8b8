import { UPLOADS_SETTINGS } from '@probity/settings/connection-settings'
import { readSettings } from '@probity/settings/parse'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { readStorage } from './storage.ts'

const Settings = Type.Object(UPLOADS_SETTINGS)
const read = (env: Record<string, string>) => readSettings(Settings, env, readStorage)

const BUCKET = {
  UPLOADS_FOLDER: '/var/lib/probity',
  UPLOADS_S3_BUCKET: 'probity-uploads',
  UPLOADS_S3_ACCESS_KEY_ID: 'us',
  UPLOADS_S3_SECRET_ACCESS_KEY: 'hunter2',
}

test('readStorage selects the folder without a bucket', () => {
  expect(read({ UPLOADS_FOLDER: '/var/lib/probity' })).toEqual({ kind: 'folder', folder: '/var/lib/probity' })
  expect(read({})).toEqual({ kind: 'folder', folder: expect.stringMatching(/\/probity-uploads-\d+$/) })
})

test('readStorage selects the bucket if one is set', () => {
  expect(read(BUCKET)).toEqual({
    kind: 's3',
    folder: '/var/lib/probity',
    bucket: 'probity-uploads',
    endpoint: undefined,
    region: 'us-east-1',
    accessKeyId: 'us',
    secretAccessKey: 'hunter2',
    prefix: 'uploads/',
  })
  const elsewhere = {
    UPLOADS_S3_ENDPOINT: 'http://127.0.0.1:9000',
    UPLOADS_S3_REGION: 'fr-par',
    UPLOADS_S3_PREFIX: 'a/b/',
  }
  expect(read({ ...BUCKET, ...elsewhere })).toMatchObject({
    endpoint: 'http://127.0.0.1:9000',
    region: 'fr-par',
    prefix: 'a/b/',
  })
})

test('readStorage reports all missing S3 settings at once', () => {
  const onlyBucket = () => read({ UPLOADS_S3_BUCKET: 'probity-uploads' })
  expect(onlyBucket).toThrow('UPLOADS_S3_ACCESS_KEY_ID is missing')
  expect(onlyBucket).toThrow('UPLOADS_S3_SECRET_ACCESS_KEY is missing')
  expect(onlyBucket).not.toThrow('UPLOADS_S3_BUCKET is missing')
  const onlyKeys = () => read({ ...BUCKET, UPLOADS_S3_BUCKET: '' })
  expect(onlyKeys).toThrow('UPLOADS_S3_BUCKET is missing')
  expect(onlyKeys).toThrow(/^(?!.*hunter2)/s)
  expect(() => read({ UPLOADS_S3_ENDPOINT: 'http://127.0.0.1:9000' })).toThrow('UPLOADS_S3_BUCKET is missing')
})

test.each([
  ['UPLOADS_S3_BUCKET', 'Not_A_Bucket'],
  ['UPLOADS_S3_ENDPOINT', 's3.example.com'],
  ['UPLOADS_S3_ENDPOINT', 'https://s3.example.com/path'],
  ['UPLOADS_S3_REGION', 'a b'],
  ['UPLOADS_S3_PREFIX', '/uploads'],
  ['UPLOADS_S3_PREFIX', 'uploads'],
])('%s cannot be %j', (name, value) => {
  expect(() => read({ ...BUCKET, [name]: value })).toThrow(`${name} is not valid`)
})
