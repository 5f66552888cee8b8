/** What the doctor looks at, in the order in which a report is read: the way to mail servers first, since without it little else matters. */
export const DOCTOR_GROUPS = ['egress', 'identity', 'reputation', 'dns', 'platform', 'front', 'backups'] as const
export type DoctorGroup = (typeof DOCTOR_GROUPS)[number]

/** `of` says whose matter it is: what one host sees by itself, or what is the same whoever looks. */
type Check = { group: DoctorGroup; title: string; why: string; of: 'host' | 'installation' }

/** Every check by its id, which is also its heading in docs/doctor.md. An id is never given to another check. */
export const DOCTOR_CHECKS = {
  'way-out': {
    group: 'egress',
    of: 'host',
    title: 'A way out to mail servers is set',
    why: 'Without a name to go by no mail server is asked, and an address whose domain takes mail stays unknown.',
  },
  'port-25': {
    group: 'egress',
    of: 'host',
    title: 'Mail servers answer on port 25',
    why: 'Mailboxes can be asked about on port 25 alone. Many hosters close it, and some let a server of their own answer instead.',
  },
  ipv6: {
    group: 'egress',
    of: 'host',
    title: 'Mail servers answer over IPv6',
    why: 'Mail hosts that have no IPv4 address can be reached by IPv6 only. They are few.',
  },
  'ehlo-name': {
    group: 'identity',
    of: 'host',
    title: 'The EHLO name is one of your own',
    why: 'A borrowed or made-up name gets the address it comes from onto block lists.',
  },
  'forward-dns': {
    group: 'identity',
    of: 'host',
    title: 'The EHLO name leads to the way out',
    why: 'Mail servers look the name up and turn away whoever comes from another address.',
  },
  'reverse-dns': {
    group: 'identity',
    of: 'host',
    title: 'The address of the way out leads back to the EHLO name',
    why: 'Many mail servers refuse an address without reverse DNS, or whose reverse DNS does not lead back.',
  },
  'sender-mx': {
    group: 'identity',
    of: 'host',
    title: 'The domain of the sender takes mail',
    why: 'Some mail servers ask back whether the sender exists, and refuse one who could not be answered.',
  },
  'sender-spf': {
    group: 'identity',
    of: 'host',
    title: 'The SPF record of the sender covers the way out',
    why: 'Mail servers that look at SPF refuse a sender whose record does not name the address we come from.',
  },
  blocklists: {
    group: 'reputation',
    of: 'host',
    title: 'The address of the way out is on no block list',
    why: 'A mail server that uses the list turns us away, and its mailboxes stay unknown.',
  },
  'resolver-answers': {
    group: 'dns',
    of: 'host',
    title: 'The resolver answers',
    why: 'Every address begins with a question to DNS. Without an answer it stays unknown.',
  },
  'resolver-honest': {
    group: 'dns',
    of: 'host',
    title: 'The resolver says so when a name does not exist',
    why: 'A resolver that answers with an address of its own makes domains that do not exist look alive.',
  },
  dnssec: {
    group: 'dns',
    of: 'host',
    title: 'The resolver validates DNSSEC',
    why: 'Without it a forged answer decides where mail servers are looked for, and which verdict comes of it.',
  },
  'dns-tcp': {
    group: 'dns',
    of: 'host',
    title: 'The resolver answers over TCP',
    why: 'Long answers, as large domains have them, are given over TCP only.',
  },
  'dns-speed': {
    group: 'dns',
    of: 'host',
    title: 'The resolver answers quickly from its cache',
    why: 'An address takes several questions; a slow resolver makes every one of them slow.',
  },
  'own-resolver': {
    group: 'dns',
    of: 'host',
    title: 'The resolver is your own',
    why: 'A public resolver sees every domain that you ask about, limits how often you may, and block lists do not answer it.',
  },
  clock: {
    group: 'platform',
    of: 'host',
    title: 'The clock is right',
    why: 'Sessions, signatures of webhooks and the times of results depend on it.',
  },
  disk: {
    group: 'platform',
    of: 'host',
    title: 'There is room on the disk',
    why: 'On a full disk lists cannot be uploaded, and PostgreSQL stops.',
  },
  'open-files': {
    group: 'platform',
    of: 'host',
    title: 'The process may open enough files',
    why: 'Every connection to a mail server counts as an open file.',
  },
  'postgres-version': {
    group: 'platform',
    of: 'installation',
    title: 'PostgreSQL is of a version that we use',
    why: 'Older versions lack what the migrations need, or get no repairs any more.',
  },
  'postgres-durability': {
    group: 'platform',
    of: 'installation',
    title: 'PostgreSQL keeps what it has confirmed',
    why: 'Credits are money. With these settings off a power cut loses or damages what was already confirmed.',
  },
  'postgres-log': {
    group: 'platform',
    of: 'installation',
    title: 'PostgreSQL writes no addresses to its log',
    why: 'Addresses are personal data, and a log outlives the retention that customers chose.',
  },
  migrations: {
    group: 'platform',
    of: 'installation',
    title: 'All migrations are applied',
    why: 'A process whose migrations are missing is not ready and is sent no requests.',
  },
  'redis-version': {
    group: 'platform',
    of: 'installation',
    title: 'Redis is of a version that we use',
    why: 'Older versions lack commands that the queue and the pace need.',
  },
  'redis-eviction': {
    group: 'platform',
    of: 'installation',
    title: 'Redis throws nothing away',
    why: 'With another policy Redis drops tasks and limits under way when its memory is full, without a word.',
  },
  'redis-saving': {
    group: 'platform',
    of: 'installation',
    title: 'Redis takes writes',
    why: 'When it could not save to its disk, Redis refuses writes until it can.',
  },
  'worker-login': {
    group: 'platform',
    of: 'host',
    title: 'The worker has a database login of its own',
    why: 'The worker reads replies, DNS responses and files of strangers. Its login should reach no users, sessions, operators or keys.',
  },
  'redis-password': {
    group: 'platform',
    of: 'installation',
    title: 'Redis has a password',
    why: 'Without one, every program that reaches Redis reads recent results and can add tasks and answers.',
  },
  'public-url': {
    group: 'front',
    of: 'installation',
    title: 'The public address leads here, over TLS that browsers accept',
    why: 'Letters, set-up links and sessions depend on it.',
  },
  upload: {
    group: 'front',
    of: 'installation',
    title: 'A file of 8 MB gets through the public address',
    why: 'Proxies come with small limits. A list that is larger is refused before the service sees it.',
  },
  'event-stream': {
    group: 'front',
    of: 'installation',
    title: 'Events get through the public address as they happen',
    why: 'A proxy that collects answers shows the progress of a list only once the list is done.',
  },
  'backup-age': {
    group: 'backups',
    of: 'installation',
    title: 'There is a recent backup',
    why: 'What happened since the last backup is lost with the disk, movements of credits among it.',
  },
} as const satisfies Record<string, Check>

export type DoctorCheckId = keyof typeof DOCTOR_CHECKS
