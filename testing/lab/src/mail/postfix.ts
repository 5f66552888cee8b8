import { chmodSync, chownSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCertificate } from '../certificates.ts'
import { freePort, makeFolder, removeFolder } from '../services/daemon.ts'
import type { Standing } from './data/mail-fixtures.ts'
import { listDomains, listResidents } from './mailboxes.ts'
import { libraryPath } from './packages.ts'
import { KEEPING_HOSTS, POSTFIX_HOSTS, writeMain, writeMaster } from './postfix-settings.ts'
import { startPostgrey } from './postgrey.ts'
import { type MailProgram, placesOf, startProcess } from './process.ts'

/** The id of the user `nobody` in Debian's base system. */
const NOBODY_ID = 65_534

/** Folders that Postfix expects in its queue; its own installer would create them. */
const QUEUE_FOLDERS = [
  'active',
  'bounce',
  'corrupt',
  'defer',
  'deferred',
  'flush',
  'hold',
  'incoming',
  'maildrop',
  'private',
  'public',
  'saved',
  'trace',
]

/** Debian's Postfix: one master process, with a separate listener for each common Postfix configuration. */
export async function startPostfix(unpacked: string, cleanUp: AsyncDisposableStack): Promise<MailProgram> {
  const folder = makeFolder('probity-postfix')
  cleanUp.defer(() => removeFolder(folder))
  chmodSync(folder, 0o711) // most Postfix processes do not run as root
  mkdirSync(join(folder, 'queue/pid'), { recursive: true })
  for (const name of ['data', ...QUEUE_FOLDERS.map((queue) => `queue/${queue}`)]) makeOwnFolder(join(folder, name))
  writeCertificate(folder)
  writeMaps(folder)

  const logFile = join(folder, 'postfix.log')
  const policy = await startPostgrey(makeOwnFolder(join(folder, 'postgrey')), unpacked, cleanUp)
  const ports = { port: await freePort(), verifyPort: await freePort(), policyPort: policy.port }
  writeFileSync(join(folder, 'main.cf'), writeMain({ folder, unpacked, logFile, ...ports }))
  writeFileSync(join(folder, 'master.cf'), writeMaster({ folder, unpacked, logFile, ...ports }))
  makeOlder(folder)

  const places = placesOf([...POSTFIX_HOSTS], ports.port)
  await startProcess([join(unpacked, 'usr/lib/postfix/sbin/master'), '-d', '-c', folder], {
    logFile,
    answersAt: Object.values(places),
    env: { LD_LIBRARY_PATH: libraryPath(unpacked) },
    cleanUp,
  })
  return { places, logFile }
}

function makeOwnFolder(folder: string): string {
  mkdirSync(folder)
  chownSync(folder, NOBODY_ID, NOBODY_ID)
  return folder
}

/** A self-signed certificate, as most mail servers have. */
function writeCertificate(folder: string): void {
  const { key, cert } = makeCertificate({ name: 'self-signed.example' })
  writeFileSync(`${folder}/key.pem`, key)
  writeFileSync(`${folder}/cert.pem`, cert)
}

function writeMaps(folder: string): void {
  const kept = listDomains(...KEEPING_HOSTS)
  const rows = (domains: string[], standing: Standing, value: string) =>
    domains.flatMap((domain) => listResidents(domain, standing)).map(({ email }) => `${email} ${value}`)
  const maps = {
    mailboxes: [
      ...rows(kept, 'exists', 'kept'),
      ...rows(kept, 'full', 'kept'),
      ...rows(kept, 'disabled', 'kept'),
      ...listDomains('postfixCatchAll').map((domain) => `@${domain} kept`),
    ],
    refusals: [
      ...rows(kept, 'full', '452 4.2.2 Mailbox is full'),
      ...rows(kept, 'disabled', '550 5.2.1 Mailbox is disabled'),
    ],
    relocated: rows(kept, 'moved', 'new@elsewhere.example'),
    verifiable: rows(listDomains('postfixVerifying'), 'exists', 'kept'),
    clients: ['127.0.0.0/8 REJECT'],
    'dynamicmaps.cf': [],
  }
  for (const [name, lines] of Object.entries(maps)) writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
}

/** Postfix only reads a map that is at least two seconds old, because a newer one may still be incomplete. */
function makeOlder(folder: string): void {
  const past = new Date(Date.now() - 60_000)
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), past, past)
}
