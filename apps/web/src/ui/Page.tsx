import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { ArrowLeft } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'

export type Back = { to: '/lists' | '/validate' | '/webhooks' | '/policies'; name: string }

type PageProps = {
  title: string
  /** The heading, if it is more than the title text. */
  heading?: ReactNode
  about?: ReactNode
  actions?: ReactNode
  /** The page above, as a link above the heading. */
  back?: Back
  width?: 'narrow' | 'wide'
  children: ReactNode
}

/** The frame of a page: document title, one heading that is announced on opening, and actions. */
export function Page({ title, heading, about, actions, back, width = 'wide', children }: PageProps) {
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
      {back && <BackLink {...back} />}
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

function BackLink({ to, name }: Back) {
  return (
    <div className="mb-3 text-soft">
      <Link to={to} className="inline-flex min-h-6 items-center gap-1.5 rounded-sm hover:text-ink">
        <ArrowLeft className="size-4 rtl:rotate-180" aria-hidden="true" />
        {name}
      </Link>
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
