import { clsx } from 'clsx'
import type { ReactNode } from 'react'

type CardProps = { title?: ReactNode; about?: ReactNode; actions?: ReactNode; className?: string; children: ReactNode }

export function Card({ title, about, actions, className, children }: CardProps) {
  return (
    <section className={clsx('rounded-lg border border-line bg-surface shadow-card', className)}>
      {(title || actions) && (
        <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-5 pt-4">
          <div className="min-w-0">
            {title && <h2 className="text-base font-semibold">{title}</h2>}
            {about && <p className="mt-0.5 max-w-prose text-soft">{about}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className="px-5 py-4">{children}</div>
    </section>
  )
}
