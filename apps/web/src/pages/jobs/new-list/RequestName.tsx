import { CopyButton } from '../../../ui/CopyButton.tsx'

/** The ID of a failed request, for support. */
export function RequestName({ id }: { id: string | undefined }) {
  if (id === undefined) return null
  return (
    <p className="mt-1 flex flex-wrap items-center gap-1.5 text-[0.8125rem] text-soft">
      Request ID: <code className="font-mono break-all">{id}</code>
      <CopyButton text={id} label="Copy request ID" />
    </p>
  )
}
