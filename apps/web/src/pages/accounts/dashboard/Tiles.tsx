import type { Overview } from '@probity/sdk'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { totalOf } from '../../../labels/verdict.tsx'
import { formatCount, formatNumber, formatShare } from '../../../ui/format.ts'

type TileProps = { name: string; to: LinkProps['to'] & string; children: ReactNode; about?: ReactNode }

/** A figure that links to its details. */
export function Tile({ name, to, children, about }: TileProps) {
  return (
    <Link
      to={to}
      className="flex flex-col gap-1 rounded-lg border border-line bg-surface px-4 py-3 shadow-card transition-colors hover:border-edge sm:px-5 sm:py-4"
    >
      <span className="text-[0.8125rem] text-faint">{name}</span>
      <span className="text-xl font-semibold tracking-[-0.02em] tabular-nums sm:text-2xl">{children}</span>
      {about && <span className="text-[0.8125rem] text-soft">{about}</span>}
    </Link>
  )
}

export function Unread() {
  return <span className="text-base font-medium text-soft">Unavailable</span>
}

type TilesProps = Pick<Overview, 'verdicts' | 'jobs'> & { days: number }

export function CheckTiles({ verdicts, jobs, days }: TilesProps) {
  const today = verdicts && totalOf(verdicts.today)
  const total = verdicts && totalOf(verdicts.total)
  return (
    <>
      <Tile name="Validated today" to="/validate" {...(today !== null && { about: validShare(verdicts?.today) })}>
        {today === null ? <Unread /> : formatNumber(today)}
      </Tile>
      <Tile
        name={`Validated in ${days} days`}
        to="/usage"
        {...(total !== null && { about: validShare(verdicts?.total) })}
      >
        {total === null ? <Unread /> : formatNumber(total)}
      </Tile>
      <Tile name="Lists in progress" to="/lists" {...(jobs && { about: toGo(jobs) })}>
        {jobs ? formatNumber(jobs.running.length) : <Unread />}
      </Tile>
    </>
  )
}

function validShare(counts: NonNullable<Overview['verdicts']>['total'] | undefined): string {
  const total = counts ? totalOf(counts) : 0
  return counts && total > 0 ? `${formatShare(counts.valid / total)} valid` : 'None yet'
}

function toGo({ running }: NonNullable<Overview['jobs']>): string {
  if (running.length === 0) return 'No addresses waiting'
  const left = running.reduce((sum, list) => sum + list.unique_count - totalOf(list.status_counts), 0)
  return `${formatCount(left, 'address', 'addresses')} remaining`
}
