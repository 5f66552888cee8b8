import { clsx } from 'clsx'
import { Check, Copy, LoaderCircle } from 'lucide-react'
import { type ButtonHTMLAttributes, type ReactNode, useEffect, useState } from 'react'

type Look = 'primary' | 'secondary' | 'quiet' | 'danger'
type Size = 'sm' | 'md' | 'lg'

const LOOKS: Record<Look, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-hover border-transparent',
  secondary: 'bg-surface text-ink hover:bg-hover border-edge/60',
  quiet: 'text-soft hover:text-ink hover:bg-hover border-transparent',
  danger: 'bg-danger text-on-accent hover:bg-danger-hover border-transparent',
}

const SIZES: Record<Size, string> = {
  sm: 'h-8 px-2.5 gap-1.5 text-[0.8125rem] pointer-coarse:h-10',
  md: 'h-9 px-3.5 gap-2 pointer-coarse:h-11',
  lg: 'h-11 px-5 gap-2 text-[0.9375rem]',
}

/** The style of a button, for links. */
export function buttonClass(look: Look = 'secondary', size: Size = 'md', extra?: string): string {
  return clsx(
    'inline-flex items-center justify-center rounded-md border font-medium whitespace-nowrap transition-colors select-none',
    'disabled:opacity-55 aria-disabled:opacity-55',
    LOOKS[look],
    SIZES[size],
    extra,
  )
}

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: Look
  size?: Size
  icon?: ReactNode
  /** Shows and announces that an action is in progress; further clicks are ignored. */
  busy?: boolean
}

export function Button({
  look,
  size,
  icon,
  busy = false,
  className,
  children,
  disabled,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={buttonClass(look, size, className)}
    >
      {busy ? <LoaderCircle className="size-4 animate-spin" aria-hidden="true" /> : icon}
      {children}
    </button>
  )
}

type IconButtonProps = Omit<ButtonProps, 'children' | 'icon'> & { label: string; children: ReactNode }

/** A button with an icon only and an accessible name. */
export function IconButton({ label, look = 'quiet', className, children, ...rest }: IconButtonProps) {
  return (
    <Button
      {...rest}
      look={look}
      aria-label={label}
      title={label}
      className={clsx('aspect-square px-0! [&_svg]:size-4', className)}
    >
      {children}
    </Button>
  )
}

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
