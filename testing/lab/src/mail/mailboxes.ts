import { MAIL_DOMAINS, type MailHostId, type Standing } from './data/mail-fixtures.ts'

type Resident = { domain: string; local: string; email: string }

/** Domains whose mail goes to one of these servers and that the servers accept. */
export function listDomains(...servers: MailHostId[]): string[] {
  const domains = Object.entries(MAIL_DOMAINS).filter(([, { at }]) => servers.includes(at))
  return domains
    .filter(([, { mailboxes }]) => mailboxes.some((mailbox) => mailbox.is !== 'elsewhere'))
    .map(([name]) => name)
}

/** Mailboxes of a domain in this state. */
export function listResidents(domain: string, standing: Standing): Resident[] {
  const mailboxes = MAIL_DOMAINS[domain]?.mailboxes ?? []
  return mailboxes
    .filter(({ is }) => is === standing)
    .map(({ local }) => ({ domain, local, email: `${local}@${domain}` }))
}
