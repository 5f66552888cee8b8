import { PUBLISHABLE_POLICY } from '@probity/contract/publishable'

/** The tag that looks after the email fields of a page. Names of policies and keys need no escaping. */
export function formTag({ host, key, policy }: { host: string; key: string; policy: string }): string {
  const other = policy === PUBLISHABLE_POLICY ? '' : ` data-policy="${policy}"`
  return `<script src="${host}/form.js" data-key="${key}"${other} defer></script>`
}
