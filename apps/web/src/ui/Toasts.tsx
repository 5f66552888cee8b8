import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import { IconButton } from './Button.tsx'

type Toast = { id: number; kind: 'done' | 'failed'; text: string }
type Tell = { done(text: string): void; failed(text: string): void }

const ToastContext = createContext<Tell | undefined>(undefined)
const STAYS_MS = 6_000
let lastId = 0

/** Toasts at the edge of the page. Never the only place of an information; errors stay until they are dismissed. */
export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([])
  const drop = useCallback((id: number) => setToasts((now) => now.filter((toast) => toast.id !== id)), [])
  const tell = useMemo<Tell>(() => {
    const show = (kind: Toast['kind'], text: string) => {
      const id = ++lastId
      setToasts((now) => [...now.slice(-3), { id, kind, text }])
      if (kind === 'done') setTimeout(() => drop(id), STAYS_MS)
    }
    return { done: (text) => show('done', text), failed: (text) => show('failed', text) }
  }, [drop])
  return (
    <ToastContext value={tell}>
      {children}
      <div
        role="status"
        aria-label="Notifications"
        className="pointer-events-none fixed inset-x-4 bottom-20 z-50 flex flex-col items-end gap-2 sm:bottom-5"
      >
        {toasts.map(({ id, kind, text }) => (
          <div
            key={id}
            className="appear pointer-events-auto flex max-w-md items-start gap-2.5 rounded-lg bg-raised py-2.5 ps-3.5 pe-2 shadow-raised"
          >
            {kind === 'done' ? (
              <CircleCheck className="mt-1.5 size-4 shrink-0 text-valid" aria-hidden="true" />
            ) : (
              <CircleAlert className="mt-1.5 size-4 shrink-0 text-invalid" aria-hidden="true" />
            )}
            <p className="py-1 [overflow-wrap:anywhere]">{text}</p>
            <IconButton label="Dismiss" size="sm" onClick={() => drop(id)}>
              <X />
            </IconButton>
          </div>
        ))}
      </div>
    </ToastContext>
  )
}

export function useToasts(): Tell {
  const tell = useContext(ToastContext)
  if (tell === undefined) throw new Error('there is no place for news here')
  return tell
}
