/** Groups of checks in report order. Egress comes first: without it most other checks are irrelevant. */
export const DOCTOR_GROUPS = ['egress', 'identity', 'reputation', 'dns', 'platform', 'front', 'backups'] as const
export type DoctorGroup = (typeof DOCTOR_GROUPS)[number]

/** `of` is the scope of a check: one host, or the whole installation (every host gets the same finding). */
type Check = { group: DoctorGroup; title: string; why: string; of: 'host' | 'installation' }

/** Checks by id. The id is also the heading in docs/doctor.md and is never reused for another check. */
export const DOCTOR_CHECKS = {
  'egress-configured': {
    group: 'egress',
    of: 'host',
    title: 'Egress is configured',
    why: 'Without a HELO name, mail servers are not probed, and every address whose domain accepts mail stays unknown.',
  },
  'port-25': {
    group: 'egress',
    of: 'host',
    title: 'Mail servers respond on port 25',
    why: 'Mailboxes can only be probed on port 25. Many hosting providers block it, and some intercept it.',
  },
  ipv6: {
    group: 'egress',
    of: 'host',
    title: 'Mail servers respond over IPv6',
    why: 'Mail servers without an IPv4 address can be reached over IPv6 only. They are rare.',
  },
  'ehlo-name': {
    group: 'identity',
    of: 'host',
    title: 'The HELO name belongs to you',
    why: 'A HELO name that is invented or belongs to a third party gets the egress IP listed on DNSBLs.',
  },
  'forward-dns': {
    group: 'identity',
    of: 'host',
    title: 'Forward DNS: the HELO name resolves to the egress IP',
    why: 'Mail servers resolve the HELO name and reject connections from any other IP address.',
  },
  'reverse-dns': {
    group: 'identity',
    of: 'host',
    title: 'Reverse DNS (PTR): the egress IP resolves to the HELO name',
    why: 'Many mail servers reject IP addresses without a PTR record, or with one that forward DNS does not confirm.',
  },
  'sender-mx': {
    group: 'identity',
    of: 'host',
    title: 'The sender domain accepts mail',
    why: 'Some mail servers do sender callout verification and reject senders that fail it.',
  },
  'sender-spf': {
    group: 'identity',
    of: 'host',
    title: 'The SPF record of the sender domain covers the egress IP',
    why: 'Mail servers that check SPF reject a sender whose record does not authorize the egress IP.',
  },
  blocklists: {
    group: 'reputation',
    of: 'host',
    title: 'The egress IP is not listed on a DNSBL',
    why: 'Mail servers that use the DNSBL reject probes, and their mailboxes stay unknown.',
  },
  'resolver-answers': {
    group: 'dns',
    of: 'host',
    title: 'The resolver responds',
    why: 'Every validation starts with DNS lookups. Without a response the address stays unknown.',
  },
  'resolver-honest': {
    group: 'dns',
    of: 'host',
    title: 'The resolver returns NXDOMAIN correctly',
    why: 'A resolver that denies existing domains, or invents addresses, would cause wrong verdicts. Addresses at domains without mail servers stay unknown until it is replaced.',
  },
  dnssec: {
    group: 'dns',
    of: 'host',
    title: 'The resolver validates DNSSEC',
    why: 'Without DNSSEC validation, a forged DNS response can redirect probes and change verdicts.',
  },
  'dns-tcp': {
    group: 'dns',
    of: 'host',
    title: 'The resolver responds over TCP',
    why: 'Large DNS responses, common for large domains, are returned over TCP only.',
  },
  'dns-speed': {
    group: 'dns',
    of: 'host',
    title: 'The resolver responds quickly from its cache',
    why: 'Each validation needs several DNS lookups, so resolver latency adds to every validation.',
  },
  'own-resolver': {
    group: 'dns',
    of: 'host',
    title: 'The resolver is your own',
    why: 'A public resolver sees every domain you validate and rate-limits you. DNSBLs do not respond to public resolvers.',
  },
  clock: {
    group: 'platform',
    of: 'host',
    title: 'The clock is correct',
    why: 'Sessions, webhook signatures and result timestamps depend on it.',
  },
  disk: {
    group: 'platform',
    of: 'host',
    title: 'The disk has free space',
    why: 'On a full disk, list uploads fail and PostgreSQL stops.',
  },
  'open-files': {
    group: 'platform',
    of: 'host',
    title: 'The open-file limit is high enough',
    why: 'Each SMTP connection uses a file descriptor.',
  },
  'postgres-version': {
    group: 'platform',
    of: 'installation',
    title: 'The PostgreSQL version is supported',
    why: 'Older versions lack features that the migrations need, or no longer receive fixes.',
  },
  'postgres-durability': {
    group: 'platform',
    of: 'installation',
    title: 'PostgreSQL durability settings are on',
    why: 'Credits are money. With these settings off, a power failure can lose or corrupt committed transactions.',
  },
  'postgres-log': {
    group: 'platform',
    of: 'installation',
    title: 'PostgreSQL does not log addresses',
    why: 'Addresses are personal data, and log files outlive the retention period that customers choose.',
  },
  migrations: {
    group: 'platform',
    of: 'installation',
    title: 'All migrations are applied',
    why: 'A process with missing migrations is not ready and receives no requests.',
  },
  'redis-version': {
    group: 'platform',
    of: 'installation',
    title: 'The Redis version is supported',
    why: 'Older versions lack commands that the queue and the rate limiter need.',
  },
  'redis-eviction': {
    group: 'platform',
    of: 'installation',
    title: 'Redis eviction is disabled (noeviction)',
    why: 'With any other policy, Redis silently drops queued tasks and active rate limits when its memory is full.',
  },
  'redis-saving': {
    group: 'platform',
    of: 'installation',
    title: 'Redis accepts writes',
    why: 'After a failed save to disk, Redis rejects writes until a save succeeds.',
  },
  'worker-login': {
    group: 'platform',
    of: 'host',
    title: 'The worker has its own database login',
    why: 'The worker reads untrusted SMTP replies, DNS responses and files. Its login should have no access to users, sessions, operators or keys.',
  },
  'redis-password': {
    group: 'platform',
    of: 'installation',
    title: 'Redis has a password',
    why: 'Without a password, every program that reaches Redis can read recent results and add tasks and results.',
  },
  'public-url': {
    group: 'front',
    of: 'installation',
    title: 'Public URL is reachable over valid TLS',
    why: 'Email links, setup links and sessions depend on it.',
  },
  upload: {
    group: 'front',
    of: 'installation',
    title: 'Public URL accepts an 8 MB upload',
    why: 'Proxies have small default body limits. A larger list is rejected before it reaches the API.',
  },
  'event-stream': {
    group: 'front',
    of: 'installation',
    title: 'Public URL passes events through without buffering',
    why: 'A buffering proxy delays progress events until the list completes.',
  },
  'backup-age': {
    group: 'backups',
    of: 'installation',
    title: 'A recent backup exists',
    why: 'All data since the last backup, including credit transactions, is lost if the disk fails.',
  },
} as const satisfies Record<string, Check>

export type DoctorCheckId = keyof typeof DOCTOR_CHECKS
