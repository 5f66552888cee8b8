import type { FastifyBaseLogger } from 'fastify'
import type { Transporter } from 'nodemailer'
import type { Letter } from './letters.ts'

export type Mail = {
  /** Returns whether the SMTP relay accepted the email. Without a relay the link is logged, which counts as accepted. */
  send(letter: Letter): Promise<boolean>
  close(): void
}

export type MailSettings = { url: string; from: string }

const CONNECT_WITHIN_MS = 10_000

/**
 * Sends emails through the SMTP relay of the operator. Without a relay the link is written to the log, so that operators of an
 * installation without email can pass it on.
 */
export function openMail(settings: MailSettings | undefined, log: FastifyBaseLogger): Mail {
  if (settings === undefined) {
    return {
      async send({ kind, link }) {
        log.info({ kind, link }, 'email not sent: no SMTP relay is configured (PROBITY_MAIL_URL)')
        return true
      },
      close: () => {},
    }
  }
  const timeouts = { connectionTimeout: CONNECT_WITHIN_MS, greetingTimeout: CONNECT_WITHIN_MS, socketTimeout: 30_000 }
  // Emails never embed local files or remote content.
  const bounds = { disableFileAccess: true, disableUrlAccess: true }
  let opened: Promise<Transporter> | undefined
  const openTransport = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({ url: settings.url, ...timeouts, ...bounds })
  }
  return {
    async send(letter) {
      try {
        opened ??= openTransport()
        const transport = await opened
        await transport.sendMail({ from: settings.from, to: letter.to, subject: letter.subject, ...bodiesOf(letter) })
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

function bodiesOf({ lines, action, link }: Letter): { text: string; html: string } {
  const paragraphs = lines.map((line) => `<p>${asHtml(line)}</p>`)
  return {
    text: `${[...lines, `${action}:\n${link}`].join('\n\n')}\n`,
    html: `<!doctype html><meta charset="utf-8">${paragraphs.join('')}<p><a href="${asHtml(link)}">${asHtml(action)}</a></p><p>${asHtml(link)}</p>`,
  }
}

function asHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
