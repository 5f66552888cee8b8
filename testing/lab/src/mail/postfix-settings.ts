import { join } from 'node:path'
import { MAIL_HOSTS, type MailHostId } from './data/mail-fixtures.ts'
import { listDomains } from './mailboxes.ts'
import { libraryPath } from './packages.ts'

type Settings = Record<string, string>

type PostfixPlaces = {
  /** The folder of settings, maps, queue and log. */
  folder: string
  unpacked: string
  logFile: string
  /** The port of all listeners. */
  port: number
  /** The port of Postgrey. */
  policyPort: number
  /** The port of the server that the verifying host probes. */
  verifyPort: number
}

/** Hosts with their own mailboxes. The only other host verifies the recipients that it forwards. */
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

/**
 * main.cf: the settings of all listeners. Everything else has Postfix's defaults, limits on errors and connections
 * included.
 */
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
    // Each listener has its own address; this setting only has to be present.
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    myhostname: MAIL_HOSTS.postfix.name,
    mydestination: '',
    local_recipient_maps: '',
    alias_maps: '',
    // No client is trusted: all of them connect from loopback.
    mynetworks: '',
    // Neither setting may use the system's resolver.
    smtpd_peername_lookup: 'no',
    smtp_dns_support_level: 'disabled',
    smtpd_relay_restrictions: 'defer_unauth_destination',
    virtual_mailbox_domains: listDomains(...KEEPING_HOSTS).join(', '),
    virtual_mailbox_maps: `texthash:${folder}/mailboxes`,
    virtual_transport: 'discard:', // messages are accepted and discarded
    relocated_maps: `texthash:${folder}/relocated`,
    relay_domains: listDomains('postfixVerifying').join(', '),
    relay_transport: `relay:[${MAIL_HOSTS.postfixVerifying.host}]:${verifyPort}`,
    address_verify_map: '',
    // The default since Postfix 3.9: it disconnects clients that pipeline before PIPELINING is offered.
    smtpd_forbid_unauth_pipelining: 'yes',
  }
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('')
}

/**
 * master.cf: the listeners and the few internal services they need; cleanup, qmgr and relay transport the probes of the
 * verifying host, discard receives real messages.
 */
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
