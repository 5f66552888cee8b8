import { type ReactNode, useEffect } from 'react'
import { Mark } from '../ui/Mark.tsx'
import { useHeadingFocus } from '../ui/Page.tsx'

type OpenPageProps = { title: string; about?: ReactNode; footer?: ReactNode; wide?: boolean; children: ReactNode }

/** A page outside the shell: the logo, one form or message, and related links. */
export function OpenPage({ title, about, footer, wide = false, children }: OpenPageProps) {
  const top = useHeadingFocus(title)
  useEffect(() => {
    document.title = `${title} · Probity`
  }, [title])
  return (
    <div className="flex min-h-dvh flex-col items-center px-4 py-10 sm:justify-center">
      <header className="mb-7 flex items-center gap-2.5">
        <Mark className="size-8" />
        <span className="text-xl font-semibold tracking-[-0.02em]">Probity</span>
      </header>
      <main
        className={`w-full ${wide ? 'max-w-xl' : 'max-w-sm'} rounded-lg border border-line bg-surface p-6 shadow-card sm:p-7`}
      >
        <h1 ref={top} tabIndex={-1} className="text-lg font-semibold tracking-[-0.01em]">
          {title}
        </h1>
        {about && <div className="mt-1.5 text-soft">{about}</div>}
        <div className="mt-5">{children}</div>
      </main>
      {footer && <footer className="mt-5 text-center text-soft">{footer}</footer>}
    </div>
  )
}
