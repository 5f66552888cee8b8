import { useSearch } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'
import { useMay } from '../../../session/workspace.ts'
import { Page } from '../../../ui/Page.tsx'
import { Steps } from '../../../ui/Progress.tsx'
import { NoPermission } from '../../../ui/States.tsx'
import { LIST_ROLES } from '../lists/lists-query.ts'
import { cellsOf, type NewListSearch } from '../search.ts'
import { ColumnStep } from './ColumnStep.tsx'
import { ReviewStep } from './ReviewStep.tsx'
import { UploadPanel } from './UploadPanel.tsx'

const STEPS = ['Upload', 'Column', 'Review'] as const
const HEADINGS = ['Upload a file', 'Choose the email column', 'Review and confirm'] as const

/** Creates a list from a file in three steps under one URL. */
export function NewListPage() {
  const mayMake = useMay('jobs:write')
  const search = useSearch({ from: '/shell/lists/new' })
  const current = stepOf(search)
  const heading = useRef<HTMLHeadingElement>(null)
  useFocusOnStep(heading, current)
  return (
    <Page title={`New list: ${STEPS[current]}`} heading="New list" back={{ to: '/lists', name: 'Lists' }}>
      {mayMake ? (
        <>
          <Steps label="Steps" steps={STEPS} current={current} />
          <h2 ref={heading} tabIndex={-1} className="-mb-2 text-base font-semibold focus:outline-none">
            {HEADINGS[current]}
          </h2>
          <Step {...search} current={current} />
        </>
      ) : (
        <NoPermission what="create lists" roles={LIST_ROLES} />
      )}
    </Page>
  )
}

function Step({ current, ...search }: NewListSearch & { current: number }) {
  const { upload, column, sample } = search
  const cells = cellsOf(search)
  if (upload === undefined) return <UploadPanel wantsSample={sample === 1} />
  if (current === 2 && column !== undefined) return <ReviewStep upload={upload} column={column} cells={cells} />
  return <ColumnStep upload={upload} chosen={column} cells={cells} />
}

function stepOf({ upload, column, step }: NewListSearch): 0 | 1 | 2 {
  if (upload === undefined) return 0
  return column === undefined || step === 'column' ? 1 : 2
}

/** Moves the focus to the heading of each new step, so that screen readers announce it. The first step is announced with the page. */
function useFocusOnStep(heading: RefObject<HTMLHeadingElement | null>, current: number): void {
  const last = useRef(current)
  useEffect(() => {
    if (last.current === current) return
    last.current = current
    heading.current?.focus()
    window.scrollTo({ top: 0 })
  }, [heading, current])
}
