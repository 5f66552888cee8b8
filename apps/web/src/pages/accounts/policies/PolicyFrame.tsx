import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { Page } from '../../../ui/Page.tsx'

type FrameProps = { title: string; about?: string; actions?: ReactNode; children: ReactNode }

/** The page layout of one policy. */
export function PolicyFrame({ title, about, actions, children }: FrameProps) {
  const trail = (
    <Link to="/policies" className="inline-flex min-h-6 items-center gap-1.5 hover:text-ink">
      <ArrowLeft className="size-4" aria-hidden="true" />
      Policies
    </Link>
  )
  return (
    <Page title={title} trail={trail} {...(about && { about })} {...(actions && { actions })}>
      {children}
    </Page>
  )
}
