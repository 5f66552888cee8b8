import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, IconButton } from './Button.tsx'

type CopyButtonProps = { text: string; label: string; word?: string; onCopied?(): void }

/** Copies a text, also over plain HTTP, where the clipboard API is missing. Announces the outcome. */
export function CopyButton({ text, label, word, onCopied }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>()
  useEffect(() => {
    if (outcome === undefined) return
    const timer = setTimeout(() => setOutcome(undefined), 2_000)
    return () => clearTimeout(timer)
  }, [outcome])

  async function copy() {
    const copied = await copyText(text)
    setOutcome(copied ? 'copied' : 'failed')
    if (copied) onCopied?.()
  }
  const icon = outcome === 'copied' ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />
  return (
    <>
      {word ? (
        <Button size="sm" onClick={() => void copy()} icon={icon} className="[&_svg]:size-4">
          {outcome === 'copied' ? 'Copied' : word}
        </Button>
      ) : (
        <IconButton size="sm" label={label} onClick={() => void copy()}>
          {icon}
        </IconButton>
      )}
      <span role="status" className="sr-only">
        {outcome === 'copied' && 'Copied.'}
        {outcome === 'failed' && 'Copying is not allowed in this browser. Select the text and copy it manually.'}
      </span>
    </>
  )
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text) // insecure context, or not permitted
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.setAttribute('readonly', '')
  area.style.position = 'fixed'
  area.style.opacity = '0'
  // Inside the open dialog, if any: elements outside of it cannot take the focus.
  const place = document.activeElement?.closest('[role="dialog"]') ?? document.body
  place.append(area)
  area.select()
  try {
    return document.execCommand('copy')
  } catch {
    return false
  } finally {
    area.remove()
  }
}
