import type { ReactNode } from 'react'

/** What is wider or longer than its place: it scrolls, and the keyboard can reach it to do so. */
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse
    <section aria-label={label} tabIndex={0} className={className}>
      {children}
    </section>
  )
}
