import type { Transporter } from 'nodemailer'

/** An email to a user. Each one contains a link. */
export type EmailMessage = {
  /** For the log and the limits, for example `invitation`. */
  kind: string
  to: string
  subject: string
  lines: string[]
  link: string
  action: string
}

export type Mailer = {
  /** Returns whether the SMTP relay accepted the email. Without a relay the link is logged, which counts as accepted. */
  send(message: EmailMessage): Promise<boolean>
  close(): void
}

export type MailSettings = { url: string; from: string }

/** The methods of the process's logger that this package uses. */
export type EmailLog = Record<'info' | 'error', (fields: object, text: string) => void>

const CONNECT_TIMEOUT_MS = 10_000
const SOCKET_TIMEOUT_MS = 30_000

/**
 * Sends emails through the SMTP relay of the operator. Without a relay the link is written to the log, so that operators of an
 * installation without email can pass it on.
 */
export function openMailer(settings: MailSettings | undefined, log: EmailLog): Mailer {
  if (settings === undefined) {
    return {
      async send({ kind, link }) {
        log.info({ kind, link }, 'email not sent: no SMTP relay is configured (PROBITY_MAIL_URL)')
        return true
      },
      close: () => {},
    }
  }
  const timeouts = {
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
  }
  // Emails never embed local files or remote content.
  const bounds = { disableFileAccess: true, disableUrlAccess: true }
  let opened: Promise<Transporter> | undefined
  const openTransport = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({ url: settings.url, ...timeouts, ...bounds })
  }
  return {
    async send(message) {
      try {
        opened ??= openTransport()
        const transport = await opened
        const { to, subject } = message
        await transport.sendMail({ from: settings.from, to, subject, ...bodiesOf(message) })
        return true
      } catch (error) {
        // The reply text may contain the recipient, so only its codes are logged.
        const { code, responseCode } = error as { code?: string; responseCode?: number }
        log.error({ code, responseCode }, 'failed to send email')
        return false
      }
    },
    close: () => void opened?.then((transport) => transport.close()),
  }
}

function bodiesOf({ lines, action, link }: EmailMessage): { text: string; html: string } {
  const paragraphs = lines.map((line) => `<p>${asHtml(line)}</p>`)
  return {
    text: `${[...lines, `${action}:\n${link}`].join('\n\n')}\n`,
    html: `<!doctype html><meta charset="utf-8">${paragraphs.join('')}<p><a href="${asHtml(link)}">${asHtml(action)}</a></p><p>${asHtml(link)}</p>`,
  }
}

function asHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

const NAME_LENGTH_MAX = 60

/**
 * A name that a user chose, as emails show it: one line of at most 60 characters without anything that mail programs turn into a link.
 * Otherwise a name could make an email of the installation advertise the page of another party.
 */
export function nameInEmail(name: string): string {
  const plain = name
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .replace(/[a-z][a-z0-9+-]*:\/+/gi, ' ')
    .replace(/(?<=[^\s.])[.\u3002\uff0e\uff61](?=[^\s.])/gu, ' ')
    .replace(/[@<>]/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
  const signs = [...plain]
  const short = signs.length > NAME_LENGTH_MAX ? `${signs.slice(0, NAME_LENGTH_MAX - 1).join('')}…` : plain
  return short === '' ? 'unnamed' : short
}
