import { clsx } from 'clsx'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'

type PageProps = {
  title: string
  /** The heading, if it is more than the title text. */
  heading?: ReactNode
  about?: ReactNode
  actions?: ReactNode
  /** A link back, above the heading. */
  trail?: ReactNode
  width?: 'narrow' | 'wide'
  children: ReactNode
}

/** The frame of a page: document title, one heading that is announced on opening, and actions. */
export function Page({ title, heading, about, actions, trail, width = 'wide', children }: PageProps) {
  const top = useHeadingFocus('page')
  useEffect(() => {
    document.title = `${title} · Probity`
  }, [title])
  return (
    <div
      className={clsx(
        'mx-auto w-full px-4 py-6 sm:px-6 lg:px-8 lg:py-8',
        width === 'narrow' ? 'max-w-3xl' : 'max-w-6xl',
      )}
    >
      {trail && <div className="mb-3 text-soft">{trail}</div>}
      <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1
            ref={top}
            tabIndex={-1}
            className="text-[1.375rem] leading-tight font-semibold tracking-[-0.015em] break-words"
          >
            {heading ?? title}
          </h1>
          {about && <p className="mt-1.5 max-w-prose text-soft">{about}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      <div className="flex flex-col gap-6">{children}</div>
    </div>
  )
}

/** Focuses the heading when its page opens, so that screen readers announce it. */
export function useHeadingFocus(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  // A new title is a new page.
  useEffect(() => {
    // Not on the first page, which the browser itself announces.
    if (hasOpenedBefore()) heading.current?.focus()
  }, [title])
  return heading
}

let opened = false
function hasOpenedBefore(): boolean {
  const before = opened
  opened = true
  return before
}
