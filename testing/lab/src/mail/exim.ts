import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, makeFolder, removeFolder } from '../services/daemon.ts'
import { makeSmallRoot } from './chroot.ts'
import { MAIL_HOSTS, type MailHostId } from './data/mail-fixtures.ts'
import { listDomains, listResidents } from './mailboxes.ts'
import { type MailProgram, placesOf, startProcess } from './process.ts'

const HOSTS: MailHostId[] = ['exim', 'eximStrict']
/** The user name is built into Debian's Exim. */
const USER = 'Debian-exim'

/**
 * Debian's Exim on two addresses: with default settings, and with the reply texts and the dictionary-attack rule of a
 * common hosting panel.
 */
export async function startExim(unpacked: string, cleanUp: AsyncDisposableStack): Promise<MailProgram> {
  const folder = makeFolder('probity-exim')
  cleanUp.defer(() => removeFolder(folder))
  const port = await freePort()
  const root = await makeSmallRoot(folder, join(unpacked, 'usr/sbin/exim4'), { unpacked, users: [USER] })
  mkdirSync(root.path('spool'))
  chownSync(root.path('spool'), root.ids[USER] ?? 0, root.ids[USER] ?? 0)
  writeFileSync(root.path('etc/exim.conf'), settings(port))

  const places = placesOf(HOSTS, port)
  await startProcess([...root.enter, '/usr/sbin/exim4', '-C', '/etc/exim.conf', '-bdf'], {
    logFile: root.path('exim.log'),
    answersAt: Object.values(places),
    cleanUp,
  })
  return { places, logFile: root.path('spool/mainlog') }
}

function settings(port: number): string {
  const strict = `eq{$received_ip_address}{${MAIL_HOSTS.eximStrict.host}}`
  return `
primary_hostname = ${MAIL_HOSTS.exim.name}
smtp_active_hostname = \${if ${strict}{${MAIL_HOSTS.eximStrict.name}}{$primary_hostname}}
spool_directory = /spool
log_file_path = /spool/%slog
pid_file_path = /spool/pid
keep_environment =
local_interfaces = ${HOSTS.map((id) => MAIL_HOSTS[id].host).join(' : ')}
daemon_smtp_ports = ${port}
tls_advertise_hosts =
host_lookup =
domainlist hosted = ${listDomains(...HOSTS).join(' : ')}
acl_smtp_rcpt = recipients

begin acl
recipients:
  drop
    condition = \${if ${strict}}
    condition = \${if >={$rcpt_fail_count}{${MAIL_HOSTS.eximStrict.errorsMax}}}
    message = Too many failed recipients
  deny
    !domains = +hosted
    message = relay not permitted
  deny
    condition = \${if ${strict}}
    !verify = recipient
    message = No Such User Here
  require
    verify = recipient
  accept

begin routers
trouble:
  driver = redirect
  domains = +hosted
  local_parts = ${localParts('in_trouble')}
  data = \${lookup{$local_part}lsearch{/nowhere/aliases}}
mailboxes:
  driver = accept
  domains = +hosted
  local_parts = ${localParts('exists')}
  transport = nowhere

begin transports
nowhere:
  driver = appendfile
  file = /dev/null
  user = ${USER}
`
}

function localParts(standing: 'exists' | 'in_trouble'): string {
  const residents = listDomains(...HOSTS).flatMap((domain) => listResidents(domain, standing))
  return [...new Set(residents.map(({ local }) => local))].join(' : ')
}
