import { join } from 'node:path'
import { MAIL_HOSTS, type MailHostId } from './data/mail-fixtures.ts'
import { listDomains } from './mailboxes.ts'
import { libraryPath } from './packages.ts'

type Settings = Record<string, string>

type PostfixPlaces = {
  /** Of its settings, maps, queue and log. */
  folder: string
  unpacked: string
  logFile: string
  /** Where all listeners listen. */
  port: number
  /** Postgrey's. */
  policyPort: number
  /** Of the server that the verifying one asks. */
  verifyPort: number
}

/** The hosts with mailboxes of their own, the only other being the one that verifies what it forwards. */
export const KEEPING_HOSTS = [
  'postfix',
  'postfixCatchAll',
  'postfixGreylisting',
  'postfixBlocking',
  'postfixStarttls',
  'postfixTlsOnly',
  'postfixAscii',
] as const satisfies MailHostId[]

export const POSTFIX_HOSTS = [...KEEPING_HOSTS, 'postfixVerifying'] as const satisfies MailHostId[]

/** main.cf: what is so for all listeners. What is not said here is as Postfix comes, limits on errors and connections included. */
export function writeMain({ folder, unpacked, logFile, verifyPort }: PostfixPlaces): string {
  const settings = {
    compatibility_level: '3.6',
    command_directory: join(unpacked, 'usr/sbin'),
    daemon_directory: join(unpacked, 'usr/lib/postfix/sbin'),
    shlib_directory: join(unpacked, 'usr/lib/postfix'),
    meta_directory: folder,
    queue_directory: join(folder, 'queue'),
    data_directory: join(folder, 'data'),
    import_environment: `MAIL_CONFIG=${folder} LD_LIBRARY_PATH=${libraryPath(unpacked)}`,
    maillog_file: logFile,
    maillog_file_prefixes: folder,
    // Postfix wants three users and groups that differ; these are on every Debian.
    mail_owner: 'nobody',
    setgid_group: 'mail',
    default_privs: 'daemon',
    // The listeners name their own addresses; this one only has to be there.
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    myhostname: MAIL_HOSTS.postfix.name,
    mydestination: '',
    local_recipient_maps: '',
    alias_maps: '',
    // Nobody is trusted, loopback least of all: everybody comes from there.
    mynetworks: '',
    // Neither way may the system's resolver be asked.
    smtpd_peername_lookup: 'no',
    smtp_dns_support_level: 'disabled',
    smtpd_relay_restrictions: 'defer_unauth_destination',
    virtual_mailbox_domains: listDomains(...KEEPING_HOSTS).join(', '),
    virtual_mailbox_maps: `texthash:${folder}/mailboxes`,
    virtual_transport: 'discard:', // whoever sends a letter sees it taken; nobody reads it
    relocated_maps: `texthash:${folder}/relocated`,
    relay_domains: listDomains('postfixVerifying').join(', '),
    relay_transport: `relay:[${MAIL_HOSTS.postfixVerifying.host}]:${verifyPort}`,
    address_verify_map: '',
    // The default from Postfix 3.9 on: who pipelines before PIPELINING is offered is cut off.
    smtpd_forbid_unauth_pipelining: 'yes',
  }
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('')
}

/** master.cf: the listeners, and the few services they need within; cleanup, qmgr and relay carry questions of the verifying one, discard what is really sent. */
export function writeMaster(places: PostfixPlaces): string {
  const own = listOwnSettings(places)
  const listeners = POSTFIX_HOSTS.map((id) => {
    const { host, name } = MAIL_HOSTS[id]
    return listener(`${host}:${places.port}`, { ...own[id], myhostname: name })
  })
  const verifyTarget = listener(`${MAIL_HOSTS.postfixVerifying.host}:${places.verifyPort}`, {
    relay_recipient_maps: `texthash:${places.folder}/verifiable`,
  })
  return `${[...listeners, verifyTarget].join('\n')}
rewrite unix - - n - - trivial-rewrite
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
relay unix - - n - - smtp
discard unix - - n - - discard
verify unix - - n - 1 verify
anvil unix - - n - 1 anvil
tlsmgr unix - - n 1000? 1 tlsmgr
postlog unix-dgram n - n - 1 postlogd
`
}

function listener(place: string, settings: Settings): string {
  const own = Object.entries(settings).map(([name, value]) => `  -o { ${name} = ${value} }`)
  return [`${place} inet n - n - - smtpd`, ...own].join('\n')
}

function listOwnSettings({ folder, policyPort }: PostfixPlaces): Record<(typeof POSTFIX_HOSTS)[number], Settings> {
  const certificate = { smtpd_tls_cert_file: `${folder}/cert.pem`, smtpd_tls_key_file: `${folder}/key.pem` }
  return {
    postfix: { smtpd_recipient_restrictions: `check_recipient_access texthash:${folder}/refusals` },
    postfixCatchAll: { smtpd_relay_restrictions: 'reject_unauth_destination' },
    postfixGreylisting: { smtpd_recipient_restrictions: `check_policy_service inet:127.0.0.1:${policyPort}` },
    postfixVerifying: {
      smtpd_recipient_restrictions: 'reject_unverified_recipient',
      address_verify_poll_count: '1', // as under stress: it does not wait for the result
    },
    postfixBlocking: { smtpd_client_restrictions: `check_client_access cidr:${folder}/clients` },
    postfixStarttls: { smtpd_tls_security_level: 'may', ...certificate },
    postfixTlsOnly: { smtpd_tls_security_level: 'encrypt', ...certificate },
    postfixAscii: { smtputf8_enable: 'no' },
  }
}
