type FormTag = { host: string; key: string; policy: string; usual: string }

/** The script tag for the email fields of a page. It names the policy unless the key uses it anyway. Names need no escaping. */
export function formTag({ host, key, policy, usual }: FormTag): string {
  const other = policy === usual ? '' : ` data-policy="${policy}"`
  return `<script src="${host}/form.js" data-key="${key}"${other} defer></script>`
}
