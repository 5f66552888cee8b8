import { useQuery } from '@tanstack/react-query'
import { accountQuery } from '../../../session/account-query.ts'
import { useScene } from '../../../session/scene.ts'
import { formatDate, formatNumber } from '../../../ui/format.ts'
import { forecast } from '../usage/forecast.ts'
import { usageQuery } from '../usage/usage-query.ts'
import { Tile, Unread } from './Tiles.tsx'

const PACE_DAYS = 30

/** Available credits, and when they run out at the usage of the last month. */
export function CreditsTile() {
  const scene = useScene()
  const { data, isError } = useQuery(accountQuery(scene))
  const credits = data?.credits
  return (
    <Tile name="Available credits" to="/usage" about={credits && <RunOut {...credits} />}>
      {credits ? credits.unlimited ? 'Unlimited' : formatNumber(credits.available) : isError ? <Unread /> : '…'}
    </Tile>
  )
}

function RunOut({ available, unlimited }: { available: number; unlimited: boolean }) {
  const { data, isError } = useQuery({ ...usageQuery(useScene(), PACE_DAYS, 'day'), enabled: !unlimited })
  if (unlimited) return 'Unlimited plan'
  if (available === 0) return 'No credits left. Paid requests are rejected.'
  if (data?.days === undefined) return isError ? 'Forecast unavailable' : null
  const { perDay, until } = forecast(available, data.days, { days: PACE_DAYS, now: new Date() })
  if (perDay === 0) return `No usage in the last ${PACE_DAYS} days`
  return until ? `Runs out around ${formatDate(until)}` : 'Lasts for more than two years'
}
