import { clsx } from 'clsx'
import type { ReactNode } from 'react'

export type Tone = 'valid' | 'invalid' | 'risky' | 'unknown' | 'accent'

const TONES: Record<Tone, string> = {
  valid: 'bg-valid-soft text-valid',
  invalid: 'bg-invalid-soft text-invalid',
  risky: 'bg-risky-soft text-risky',
  unknown: 'bg-unknown-soft text-unknown',
  accent: 'bg-accent-soft text-accent-text',
}

type BadgeProps = { tone?: Tone; icon?: ReactNode; size?: 'sm' | 'lg'; className?: string; children: ReactNode }

/** A label with an icon and a color, never the color alone. */
export function Badge({ tone = 'unknown', icon, size = 'sm', className, children }: BadgeProps) {
  return (
    <span
      className={clsx(
        'inline-flex w-fit items-center rounded-full font-medium whitespace-nowrap',
        size === 'sm' ? 'gap-1 px-2 py-0.5 text-xs [&_svg]:size-3.5' : 'gap-1.5 px-3 py-1 text-sm [&_svg]:size-4.5',
        TONES[tone],
        className,
      )}
    >
      {icon}
      {children}
    </span>
  )
}
