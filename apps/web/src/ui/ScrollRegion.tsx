import type { ReactNode } from 'react'

/** A scrollable region that is reachable by keyboard. */
export function ScrollRegion({
  label,
  className,
  children,
}: {
  label: string
  className?: string
  children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable without a mouse
    <section aria-label={label} tabIndex={0} className={className}>
      {children}
    </section>
  )
}
