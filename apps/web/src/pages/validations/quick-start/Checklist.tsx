import { useQuery } from '@tanstack/react-query'
import { Check, X } from 'lucide-react'
import { useState } from 'react'
import { probityFor } from '../../../session/client.ts'
import { useMay, useScene } from '../../../session/workspace.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { keysQuery } from '../../accounts/keys/keys-query.ts'

const DISMISSED = 'probity.checklist'
const TRIED = 'probity.tried'

/** The first steps. Completion is read from account data, so that it is the same on every device. */
export function Checklist({ hasTried = false }: { hasTried?: boolean }) {
  const [isOpen, setOpen] = useState(() => localStorage.getItem(DISMISSED) === null)
  const steps = useSteps(hasTried)
  const show = (next: boolean) => {
    if (next) localStorage.removeItem(DISMISSED)
    else localStorage.setItem(DISMISSED, 'closed')
    setOpen(next)
  }
  if (!isOpen) {
    return (
      <Button look="quiet" size="sm" className="justify-self-start" onClick={() => show(true)}>
        Show checklist
      </Button>
    )
  }
  const done = steps.filter((step) => step.isDone).length
  const close = (
    <IconButton label="Close checklist" size="sm" className="-me-2 -mt-1" onClick={() => show(false)}>
      <X aria-hidden="true" />
    </IconButton>
  )
  return (
    <Card title="Checklist" about={`${done} of ${steps.length} done`} actions={close}>
      <ul className="flex flex-col gap-3">
        {steps.map((step) => (
          <StepLine key={step.label} {...step} />
        ))}
      </ul>
    </Card>
  )
}

type Step = { label: string; isDone: boolean }

function StepLine({ label, isDone }: Step) {
  return (
    <li className="flex items-center gap-2.5">
      {isDone ? (
        <span className="grid size-5 shrink-0 place-items-center rounded-full bg-valid-soft text-valid">
          <Check className="size-3.5" aria-hidden="true" />
        </span>
      ) : (
        <span className="size-5 shrink-0 rounded-full border border-edge" aria-hidden="true" />
      )}
      <span className={isDone ? 'text-soft' : ''}>{label}</span>
      <span className="sr-only">{isDone ? 'done' : 'to do'}</span>
    </li>
  )
}

function useSteps(hasTried: boolean): Step[] {
  const scene = useScene()
  const { account_id: accountId } = scene.membership
  const { data: keys = [] } = useQuery({ ...keysQuery(scene), enabled: useMay('keys:read') })
  const { data: lists = [] } = useQuery({
    queryKey: [...scene.key, 'first-list'],
    queryFn: async ({ signal }) => {
      const both = (['live', 'test'] as const).map((mode) =>
        probityFor({ accountId, mode }).jobs.list({ limit: 1, signal }),
      )
      return (await Promise.all(both)).flatMap(({ data }) => data)
    },
  })
  if (hasTried) localStorage.setItem(TRIED, 'yes')
  return [
    { label: 'Validate an address', isDone: hasTried || localStorage.getItem(TRIED) !== null },
    { label: 'Create an API key', isDone: keys.length > 0 },
    { label: 'Make a request with the key', isDone: keys.some((key) => key.last_used_at !== null) },
    { label: 'Upload a list', isDone: lists.length > 0 },
  ]
}
