import type { FastifyBaseLogger } from 'fastify'
import type { Transporter } from 'nodemailer'
import type { Letter } from './letters.ts'

export type Mail = {
  /** Whether a mail server took it, or the log where there is none. */
  send(letter: Letter): Promise<boolean>
  close(): void
}

export type MailSettings = { url: string; from: string }

const CONNECT_WITHIN_MS = 10_000

/**
 * Sends letters through the operator's mail server. Without one the link is written to the log, so that an installation without mail
 * can be used: whoever reads the log hands it on.
 */
export function openMail(settings: MailSettings | undefined, log: FastifyBaseLogger): Mail {
  if (settings === undefined) {
    return {
      async send({ kind, link }) {
        log.info({ letter: kind, link }, 'no mail server is set: the link of a letter')
        return true
      },
      close: () => {},
    }
  }
  const timeouts = { connectionTimeout: CONNECT_WITHIN_MS, greetingTimeout: CONNECT_WITHIN_MS, socketTimeout: 30_000 }
  // Letters hold no files and no pages of others, and are not allowed to.
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
        // The reply may quote the recipient, so its number must do.
        const { code, responseCode } = error as { code?: string; responseCode?: number }
        log.error({ code, responseCode }, 'a letter was not sent')
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
