import { useState } from 'react'
import { REFERENCE } from '../../../shell/navigation.ts'
import { Button } from '../../../ui/Button.tsx'
import { CodeBlock } from '../../../ui/Code.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, SelectInput } from '../../../ui/Field.tsx'
import { SecretField } from '../../../ui/Secret.tsx'
import type { Key } from './keys-query.ts'

/** A publishable key and its script tag. It is not secret, and can be shown again at any time. */
export function EmbedDialog({ of: key, onClose }: { of: Key; onClose(): void }) {
  const [usual = ''] = key.allowed_policies
  const [policy, setPolicy] = useState<string>(usual)
  const text = key.public_key ?? key.hint
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={`Embed code for “${key.name}”`}
      about="Publishable keys are safe to expose in client-side code."
    >
      <div className="flex flex-col gap-5">
        <SecretField label="Publishable key" noun="key" value={text} />
        <PolicyField names={key.allowed_policies} chosen={policy} onChoose={setPolicy} />
        <div>
          <p className="mb-1.5 font-medium">Add this tag to the page with the form</p>
          <CodeBlock label="Script tag" code={formTag({ host: window.location.origin, key: text, policy, usual })} />
          <p className="mt-2 text-[0.8125rem] text-faint">
            The script validates every email field on the page. Without a response within two seconds, the form submits
            normally. Allowed origins: {key.allowed_origins.join(', ')}. For your own client, see the{' '}
            <a href={REFERENCE.href} className="text-accent-text underline underline-offset-2">
              API reference
            </a>
            .
          </p>
        </div>
        <div className="flex justify-end border-t border-line pt-4">
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

type PolicyFieldProps = { names: string[]; chosen: string; onChoose(name: string): void }

/** The policy for the page, one of those on the key. The tag names it unless it is the first one. */
function PolicyField({ names, chosen, onChoose }: PolicyFieldProps) {
  return (
    <Field
      label="Policy"
      hint="Allowed policies are set in the key limits. Publishable keys never probe mailboxes, so mailbox rules do not match."
      className="max-w-80"
    >
      {(ids) => (
        <SelectInput {...ids} value={chosen} onChange={({ target }) => onChoose(target.value)}>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </SelectInput>
      )}
    </Field>
  )
}

type FormTag = { host: string; key: string; policy: string; usual: string }

/** The script tag for the email fields of a page. It names the policy unless the key uses it anyway. Names need no escaping. */
function formTag({ host, key, policy, usual }: FormTag): string {
  const other = policy === usual ? '' : ` data-policy="${policy}"`
  return `<script src="${host}/form.js" data-key="${key}"${other} defer></script>`
}
