import { CopyButton } from '../../../ui/CopyButton.tsx'
import { TextInput } from '../../../ui/Field.tsx'

/** A link to copy and pass on. */
export function SecretLink({ link, label }: { link: string; label: string }) {
  return (
    <div className="flex items-center gap-2">
      <TextInput
        readOnly
        value={link}
        aria-label={label}
        className="min-w-0 flex-1 font-mono text-[0.8125rem]"
        onFocus={(event) => event.target.select()}
      />
      <CopyButton text={link} label="Copy link" word="Copy link" />
    </div>
  )
}
