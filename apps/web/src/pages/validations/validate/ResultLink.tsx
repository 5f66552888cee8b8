import { Link } from '@tanstack/react-router'
import { Link2 } from 'lucide-react'
import { useScene } from '../../../session/scene.ts'
import type { ValidationState } from './use-validation.ts'

/** A link to the stored result for other members. Test mode stores no results, so it has no link. */
export function ResultLink({ state }: { state: ValidationState }) {
  const { mode } = useScene()
  if (mode === 'test' || state.kind !== 'answered') return null
  return (
    <p className="mt-4 border-t border-line pt-3 text-[0.8125rem]">
      <Link
        to="/validate/$validationId"
        params={{ validationId: state.answer.result.id }}
        className="inline-flex min-h-6 items-center gap-1.5 text-accent-text underline-offset-4 hover:underline"
      >
        <Link2 className="size-4" aria-hidden="true" />
        Link to this result
      </Link>
    </p>
  )
}
