import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3'
import { freePort, makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { startSwift } from '@probity/lab/services/swift'
import { whenDone } from '@probity/lab/when-done'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openStorage } from './open-storage.ts'
import { openS3Storage } from './s3-storage.ts'
import { defaultUploadsFolder, type StorageSettings } from './storage.ts'

const folder = makeFolder('probity-storage')
whenDone(() => removeFolder(folder))
const swift = await startSwift() // before all tests, since its packages may have to be downloaded first
whenDone(() => swift.stop())

const { stop: _, ...account } = swift
const S3 = { ...account, kind: 's3', folder: `${folder}/s3`, region: 'us-east-1', prefix: 'a/b/' } as const
const SETTINGS: StorageSettings[] = [{ kind: 'folder', folder: `${folder}/plain` }, S3]

async function* bytesOf(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text)
}

async function* breakOff(pieces: number): AsyncGenerator<Buffer> {
  for (let n = 0; n < pieces; n++) yield Buffer.alloc(100_000)
  throw new Error('broken off')
}

/** All files on the local disk, of any kind. */
function filesHere(): string[] {
  return globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
}

const IN_AN_HOUR = () => new Date(Date.now() + 3_600_000)
const AN_HOUR_AGO = () => new Date(Date.now() - 3_600_000)

describe.each(SETTINGS)('$kind', (settings) => {
  const storage = openStorage(settings)
  beforeAll(async () => void (await storage.removeOlderThan(IN_AN_HOUR())))

  test('a saved file can be read repeatedly until it is removed', async () => {
    const { key, size } = await storage.save(bytesOf('email\n', 'ä@example.com\n'))
    expect(size).toBe(21)
    for (let n = 0; n < 2; n++) {
      expect((await buffer(storage.open(key))).toString()).toBe('email\nä@example.com\n')
      expect(await storage.lend(key, async (path) => readFileSync(path, 'utf8'))).toBe('email\nä@example.com\n')
    }
    await storage.remove(key)
    await expect(buffer(storage.open(key))).rejects.toThrow()
    await storage.remove(key)
    expect(filesHere()).toEqual([])
  })

  test('rewrite replaces a file under its key', async () => {
    const { key } = await storage.save(bytesOf('email\n', 'ada@example.com\n'))
    await storage.saveNote(key, 'note')
    const isChanged = await storage.rewrite(key, async (from, to) => {
      writeFileSync(to, readFileSync(from, 'utf8').toUpperCase())
      return true
    })
    expect(isChanged).toBe(true)
    expect((await buffer(storage.open(key))).toString()).toBe('EMAIL\nADA@EXAMPLE.COM\n')
    expect(await storage.findNote(key)).toBe('note')
    await storage.remove(key)
    expect(filesHere()).toEqual([])
  })

  test('rewrite does not change the file if nothing changed or writing failed', async () => {
    const { key } = await storage.save(bytesOf('email\n'))
    const write = async (_: string, to: string) => {
      writeFileSync(to, 'half')
      return false
    }
    expect(await storage.rewrite(key, write)).toBe(false)
    const fail = storage.rewrite(key, async (from, to) => {
      await write(from, to)
      throw new Error('failed')
    })
    await expect(fail).rejects.toThrow('failed')
    expect((await buffer(storage.open(key))).toString()).toBe('email\n')
    await storage.remove(key)
    expect(filesHere()).toEqual([])
  })

  test('findNote returns the last note of a file until the file is removed', async () => {
    const { key } = await storage.save(bytesOf('email\n'))
    expect(await storage.findNote(key)).toBeUndefined()
    await storage.saveNote(key, 'first')
    await storage.saveNote(key, 'ä second')
    expect(await storage.findNote(key)).toBe('ä second')
    expect((await buffer(storage.open(key))).toString()).toBe('email\n')
    await storage.remove(key)
    expect(await storage.findNote(key)).toBeUndefined()
    expect(await storage.removeOlderThan(IN_AN_HOUR())).toBe(0)
  })

  test('removeOlderThan removes notes whose file was deleted', async () => {
    const { key } = await storage.save(bytesOf('x'))
    await storage.saveNote(key, 'note')
    expect(await storage.removeOlderThan(AN_HOUR_AGO())).toBe(0)
    expect(await storage.removeOlderThan(IN_AN_HOUR())).toBe(2)
    expect(await storage.findNote(key)).toBeUndefined()
  })

  test('storage keys are unique and random', async () => {
    const saved = await Promise.all(Array.from({ length: 20 }, () => storage.save(bytesOf('x'))))
    expect(new Set(saved.map(({ key }) => key)).size).toBe(20)
    for (const { key } of saved) expect(key).toMatch(/^[0-9a-f]{32}$/)
    await Promise.all(saved.map(({ key }) => storage.remove(key)))
  })

  test('a file of 20 MB is stored byte for byte', async () => {
    const pieces = Array.from({ length: 200 }, (_, n) => String(n).padStart(5).repeat(20_000))
    const { key, size } = await storage.save(bytesOf(...pieces))
    expect(size).toBe(20_000_000)
    expect((await buffer(storage.open(key))).equals(Buffer.from(pieces.join('')))).toBe(true)
    await storage.remove(key)
  })

  test('lookAndSave passes the file before it is saved, readable by our own user only', async () => {
    const { key, seen } = await storage.lookAndSave(bytesOf('abc'), async ({ path, size }) => {
      return { text: readFileSync(path, 'utf8'), size, mode: statSync(path).mode & 0o777 }
    })
    expect(seen).toEqual({ text: 'abc', size: 3, mode: 0o600 })
    await storage.remove(key)
  })

  test('a rejected file is removed completely', async () => {
    const refuse = storage.lookAndSave(bytesOf('abc'), async () => {
      throw new Error('refused')
    })
    await expect(refuse).rejects.toThrow('refused')
    expect(filesHere()).toEqual([])
    expect(await storage.removeOlderThan(IN_AN_HOUR())).toBe(0)
  })

  test.each([0, 1, 30])('a file that is interrupted after %d chunks leaves nothing behind', async (pieces) => {
    const attempts = Array.from({ length: 20 }, () => storage.save(breakOff(pieces)))
    const outcomes = await Promise.allSettled(attempts)
    expect(outcomes.map((outcome) => outcome.status)).toEqual(Array(20).fill('rejected'))
    await sleep(50) // a file that is opened too late would appear only now
    expect(filesHere()).toEqual([])
    expect(await storage.removeOlderThan(IN_AN_HOUR())).toBe(0)
  })

  test('an interrupted read leaves only the file', async () => {
    const { key } = await storage.save(breakAfter(3_000_000))
    const before = filesHere()
    for await (const chunk of storage.open(key)) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    await expect.poll(filesHere).toEqual(before)
    await expect(storage.lend(key, () => Promise.reject(new Error('gone')))).rejects.toThrow('gone')
    expect(filesHere()).toEqual(before)
    await storage.remove(key)
  })

  test('removeOlderThan removes only files older than the time', async () => {
    const saved = await Promise.all([1, 2, 3].map(() => storage.save(bytesOf('x'))))
    expect(await storage.removeOlderThan(AN_HOUR_AGO())).toBe(0)
    for (const { key } of saved) expect((await buffer(storage.open(key))).toString()).toBe('x')
    expect(await storage.removeOlderThan(IN_AN_HOUR())).toBe(3)
    for (const { key } of saved) await expect(buffer(storage.open(key))).rejects.toThrow()
  })

  test.each(['', '..', '../secret', '/etc/passwd', 'F'.repeat(32), 'f'.repeat(33)])(
    'storage rejects the invalid key %j',
    async (key) => {
      expect(() => storage.open(key)).toThrow('invalid storage key')
      await expect(storage.remove(key)).rejects.toThrow('invalid storage key')
      await expect(storage.lend(key, async () => {})).rejects.toThrow('invalid storage key')
    },
  )
})

async function* breakAfter(bytes: number): AsyncGenerator<Buffer> {
  for (let sent = 0; sent < bytes; sent += 100_000) yield Buffer.alloc(100_000, 'x')
}

test('storages with different prefixes share a bucket and do not touch other objects', async () => {
  const [mine, others] = [openStorage(S3), openStorage({ ...S3, prefix: 'a/' })]
  const { key } = await mine.save(bytesOf('mine'))
  expect(await others.removeOlderThan(IN_AN_HOUR())).toBe(0)
  await expect(buffer(others.open(key))).rejects.toMatchObject({ name: 'NoSuchKey' })
  expect((await buffer(mine.open(key))).toString()).toBe('mine')
  await mine.remove(key)
})

const LIMITS = { answerMs: 10_000, callMs: 30_000, transferMs: 60_000, pageSize: 1_000, pagesMax: 10 }

test('removal lists a limited number of objects per run, and the next run continues after them', async () => {
  const storage = openS3Storage({ ...S3, prefix: 'pages/' }, { ...LIMITS, pageSize: 2, pagesMax: 2 })
  await Promise.all(Array.from({ length: 7 }, () => storage.save(bytesOf('x'))))
  expect(await storage.removeOlderThan(AN_HOUR_AGO())).toBe(0) // four objects were listed
  expect(await storage.removeOlderThan(IN_AN_HOUR())).toBe(3)
  expect(await storage.removeOlderThan(IN_AN_HOUR())).toBe(4)
  expect(await storage.removeOlderThan(IN_AN_HOUR())).toBe(0)
})

test('the parts of an incomplete upload are removed when they are old', async () => {
  const { endpoint, bucket: Bucket, accessKeyId, secretAccessKey } = S3
  const credentials = { accessKeyId, secretAccessKey }
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true })
  const countUnfinished = async () => {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }))
    return Uploads.length
  }
  for (const name of ['f'.repeat(32), 'of another']) {
    await client.send(new CreateMultipartUploadCommand({ Bucket, Key: `a/b/${name}` }))
  }
  const storage = openStorage(S3)
  await storage.removeOlderThan(AN_HOUR_AGO())
  expect(await countUnfinished()).toBe(2)
  await storage.removeOlderThan(IN_AN_HOUR())
  expect(await countUnfinished()).toBe(1)
})

test('temporary files of a killed process are removed after an hour', async () => {
  const own = makeFolder('probity-storage')
  whenDone(() => removeFolder(own))
  const [old, fresh] = ['e'.repeat(32), 'f'.repeat(32)]
  mkdirSync(`${own}/scratch`)
  for (const name of [old, fresh]) writeFileSync(`${own}/scratch/${name}`, 'x')
  utimesSync(`${own}/scratch/${old}`, 0, Date.now() / 1000 - 3_700)
  await openStorage({ ...S3, folder: own }).removeOlderThan(new Date(0))
  expect(readdirSync(`${own}/scratch`)).toEqual([fresh])
})

test('a file in a folder is kept when the setting changes to a bucket', async () => {
  const { key } = await openStorage({ kind: 'folder', folder: S3.folder }).save(bytesOf('x'))
  await openStorage(S3).removeOlderThan(IN_AN_HOUR())
  expect(existsSync(`${S3.folder}/${key}`)).toBe(true)
})

test.each([
  ['secret', { secretAccessKey: 'wrong' }, 'SignatureDoesNotMatch'],
  ['key', { accessKeyId: 'lab:nobody' }, 'SignatureDoesNotMatch'],
  ['bucket', { bucket: 'nothing-here' }, 'NoSuchBucket'],
])('a wrong %s is rejected with an error, and no temporary file remains', async (_, wrong, name) => {
  const own = makeFolder('probity-storage')
  whenDone(() => removeFolder(own))
  const storage = openStorage({ ...S3, ...wrong, folder: own })
  await expect(storage.save(bytesOf('x'))).rejects.toMatchObject({ name })
  await expect(buffer(storage.open('f'.repeat(32)))).rejects.toMatchObject({ name })
  await expect(storage.lend('f'.repeat(32), async () => {})).rejects.toMatchObject({ name })
  await expect(storage.removeOlderThan(IN_AN_HOUR())).rejects.toMatchObject({ name })
  expect(readdirSync(`${own}/scratch`)).toEqual([])
})

test('calls to a server that does not respond time out', async () => {
  const port = await freePort()
  const server = createServer((socket) => void socket.on('error', () => {})).listen(port, '127.0.0.1')
  whenDone(() => server.close())
  const own = makeFolder('probity-storage')
  whenDone(() => removeFolder(own))
  const silent = { ...S3, folder: own, endpoint: `http://127.0.0.1:${port}` }
  const storage = openS3Storage(silent, { ...LIMITS, answerMs: 300, callMs: 900, transferMs: 900 })
  await expect(storage.save(bytesOf('x'))).rejects.toThrow()
  await expect(buffer(storage.open('f'.repeat(32)))).rejects.toThrow()
  await expect(storage.remove('f'.repeat(32))).rejects.toThrow()
  await expect(storage.removeOlderThan(IN_AN_HOUR())).rejects.toThrow()
  expect(readdirSync(`${own}/scratch`)).toEqual([])
})

/** A folder for temporary files that all users of the host can write to, as /tmp. */
function useTestTemporaryFolder(): void {
  const shared = makeFolder('probity-tmp')
  whenDone(() => removeFolder(shared))
  vi.stubEnv('TMPDIR', shared)
  onTestFinished(() => void vi.unstubAllEnvs())
}

/** The mode without the umask. */
function makeFolderWith(path: string, mode: number): void {
  mkdirSync(path)
  chmodSync(path, mode)
}

function makeOtherFolder(): string {
  const other = makeFolder('probity-other')
  whenDone(() => removeFolder(other))
  return other
}

const UNSAFE = 'other users of this host can change it'

test.each([
  ['rights of other users', (path: string) => makeFolderWith(path, 0o777)],
  ['rights of the group', (path: string) => makeFolderWith(path, 0o770)],
  ['a symbolic link', (path: string) => symlinkSync(makeOtherFolder(), path)],
])('the default folder is rejected with %s', async (_, create) => {
  useTestTemporaryFolder()
  create(defaultUploadsFolder())
  for (const settings of [{ kind: 'folder' }, S3] as const) {
    const storage = openStorage({ ...settings, folder: defaultUploadsFolder() })
    await expect(storage.save(bytesOf('x'))).rejects.toThrow(UNSAFE)
  }
  const storage = openStorage({ kind: 'folder', folder: defaultUploadsFolder() })
  expect(() => storage.open('f'.repeat(32))).toThrow(UNSAFE)
  await expect(storage.lend('f'.repeat(32), async () => {})).rejects.toThrow(UNSAFE)
  const stored = readdirSync(defaultUploadsFolder(), { recursive: true, withFileTypes: true })
  expect(stored.filter((entry) => entry.isFile())).toEqual([])
})

test('the default folder is rejected if another user created it', async () => {
  useTestTemporaryFolder()
  const storage = openStorage({ kind: 'folder', folder: defaultUploadsFolder() })
  const { key } = await storage.save(bytesOf('x'))
  await storage.remove(key)
  vi.spyOn(process, 'getuid').mockReturnValue((process.getuid?.() ?? 0) + 1)
  onTestFinished(() => void vi.restoreAllMocks())
  await expect(storage.save(bytesOf('x'))).rejects.toThrow(UNSAFE)
})

test('a configured folder may be readable by its group, and not writable by all', async () => {
  const own = makeFolder('probity-storage')
  whenDone(() => removeFolder(own))
  chmodSync(own, 0o750)
  const storage = openStorage({ kind: 'folder', folder: own })
  const { key } = await storage.save(bytesOf('x'))
  expect(statSync(join(own, key)).mode & 0o777).toBe(0o640)
  chmodSync(own, 0o777)
  await expect(storage.save(bytesOf('x'))).rejects.toThrow(UNSAFE)
})
