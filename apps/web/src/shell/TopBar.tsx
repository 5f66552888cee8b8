import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Coins } from 'lucide-react'
import type { Mode } from '../session/client.ts'
import { accountQuery, useScene } from '../session/workspace.ts'
import { formatNumber } from '../ui/format.ts'
import { Mark } from '../ui/Mark.tsx'
import { Segments } from '../ui/Segments.tsx'
import { AccountMenu } from './AccountMenu.tsx'
import { CurrentAccountMenu } from './CurrentAccountMenu.tsx'
import { HelpMenu } from './HelpMenu.tsx'

/** Account, mode and credits of the page; help and profile menu. */
export function TopBar() {
  return (
    <header className="sticky top-0 z-20 flex min-h-14 items-center gap-x-2 border-b border-line bg-surface/95 px-4 py-1.5 backdrop-blur sm:px-6 lg:px-8">
      <Link to="/" className="shrink-0 rounded-md lg:hidden" aria-label="Probity, dashboard">
        <Mark />
      </Link>
      <CurrentAccountMenu />
      <div className="ms-auto flex shrink-0 items-center gap-1.5">
        <CreditChip />
        <ModeSwitch />
        <HelpMenu />
        <AccountMenu />
      </div>
    </header>
  )
}

/** A list or draft of one mode does not exist in the other, and the quick start is always in test mode. */
function placeIn(mode: Mode, path: string) {
  if (/\/lists\/./.test(path)) return '/lists'
  return mode === 'live' && path.endsWith('/quick-start') ? '/' : '.'
}

const MODES = [
  { value: 'live', label: 'Live' },
  { value: 'test', label: 'Test' },
] as const

function ModeSwitch() {
  const { mode } = useScene()
  const navigate = useNavigate()
  const turn = (next: Mode) => {
    void navigate({
      to: placeIn(next, window.location.pathname),
      search: { mode: next === 'test' ? 'test' : undefined },
    })
  }
  return <Segments label="Mode" size="sm" value={mode} choices={MODES} onChange={turn} />
}

function CreditChip() {
  const scene = useScene()
  const { data } = useQuery(accountQuery(scene))
  if (data === undefined || scene.mode === 'test') return null
  const { available, unlimited } = data.credits
  return (
    <p className="hidden items-center gap-1.5 px-2 text-[0.8125rem] text-soft tabular-nums sm:flex">
      <Coins className="size-4 text-faint" aria-hidden="true" />
      {unlimited ? 'Unlimited' : formatNumber(available)}
      <span className="sr-only md:not-sr-only">{unlimited ? 'credits' : available === 1 ? 'credit' : 'credits'}</span>
    </p>
  )
}
