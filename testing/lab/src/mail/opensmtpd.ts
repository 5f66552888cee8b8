import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, makeFolder, removeFolder } from '../services/daemon.ts'
import { makeSmallRoot } from './chroot.ts'
import { MAIL_DOMAINS, MAIL_HOSTS } from './data/mail-fixtures.ts'
import { listDomains, listResidents } from './mailboxes.ts'
import { type MailProgram, placesOf, startProcess } from './process.ts'

/** User names built into Debian's OpenSMTPD: one for the network process, one for the queue. */
const USERS = ['opensmtpd', 'opensmtpq']
const VIRTUAL_DOMAIN = 'opensmtpd-virtual.example'

/** Debian's OpenSMTPD, which only root can start. */
export async function startOpensmtpd(unpacked: string, cleanUp: AsyncDisposableStack): Promise<MailProgram> {
  const folder = makeFolder('probity-opensmtpd')
  cleanUp.defer(() => removeFolder(folder))
  const port = await freePort()
  const root = await makeSmallRoot(folder, join(unpacked, 'usr/sbin/smtpd'), { unpacked, users: USERS })
  for (const name of ['var/lib/opensmtpd/empty', 'var/run', 'var/spool/smtpd']) {
    mkdirSync(root.path(name), { recursive: true })
  }
  chmodSync(root.path('var/spool/smtpd'), 0o711) // without this mode smtpd does not start
  writeFileSync(root.path('etc/resolv.conf'), 'lookup file\n') // it looks up client names and has no resolver
  writeFileSync(root.path('etc/hosts'), '127.0.0.1 localhost\n')
  writeFileSync(root.path('etc/smtpd.conf'), settings(port), { mode: 0o600 })

  const places = placesOf(['opensmtpd'], port)
  const logFile = root.path('smtpd.log')
  await startProcess([...root.enter, '/usr/sbin/smtpd', '-d'], { logFile, answersAt: Object.values(places), cleanUp })
  return { places, logFile }
}

/**
 * Three behaviors of OpenSMTPD: a recipient without a matching rule is invalid; a rule for a whole domain leaves the
 * decision to the table of virtual users, which rejects unknown recipients with the unusual code 524; and a table entry
 * can match all recipients.
 */
function settings(port: number): string {
  const { host, name } = MAIL_HOSTS.opensmtpd
  const [user = ''] = USERS
  const catchAll = listDomains('opensmtpd').filter((domain) => MAIL_DOMAINS[domain]?.catchAll)
  const listed = listDomains('opensmtpd').filter((domain) => domain !== VIRTUAL_DOMAIN && !catchAll.includes(domain))
  const emails = (domains: string[]) =>
    domains.flatMap((domain) => listResidents(domain, 'exists')).map(({ email }) => email)
  const quote = (names: string[]) => names.map((text) => `"${text}"`).join(', ')
  const virtual = [...emails([...listed, VIRTUAL_DOMAIN]), ...catchAll.map((domain) => `@${domain}`)]
  return `
table listed { ${quote(emails(listed))} }
table users { ${virtual.map((key) => `"${key}" = "${user}"`).join(', ')} }
listen on ${host} port ${port} hostname ${name}
action "keep" mbox virtual <users>
match from any for domain { ${quote(listed)} } rcpt-to <listed> action "keep"
match from any for domain { ${quote([VIRTUAL_DOMAIN, ...catchAll])} } action "keep"
`
}
