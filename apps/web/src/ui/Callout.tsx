import { clsx } from 'clsx'
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

type Kind = 'info' | 'success' | 'warning' | 'error'

const KINDS = {
  info: { look: 'bg-accent-soft text-accent-text', Icon: Info },
  success: { look: 'bg-valid-soft text-valid', Icon: CircleCheck },
  warning: { look: 'bg-risky-soft text-risky', Icon: TriangleAlert },
  error: { look: 'bg-invalid-soft text-invalid', Icon: CircleAlert },
}

type CalloutProps = { kind?: Kind; title?: ReactNode; actions?: ReactNode; live?: boolean; children?: ReactNode }

/** A highlighted message. */
export function Callout({ kind = 'info', title, actions, live = false, children }: CalloutProps) {
  const { look, Icon } = KINDS[kind]
  const role = live ? (kind === 'error' ? 'alert' : 'status') : undefined
  return (
    <div role={role} className={clsx('flex flex-wrap items-start gap-3 rounded-md px-4 py-3', look)}>
      <Icon className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
      <div className="min-w-0 flex-1 basis-48">
        {title && <p className="font-medium">{title}</p>}
        {children && <div className="text-ink/90 [overflow-wrap:anywhere]">{children}</div>}
      </div>
      {actions}
    </div>
  )
}
