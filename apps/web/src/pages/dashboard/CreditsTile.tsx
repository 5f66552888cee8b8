import { useQuery } from '@tanstack/react-query'
import { useScene } from '../../session/scene.ts'
import { accountQuery } from '../../shell/account-query.ts'
import { formatDate, formatNumber } from '../../ui/format.ts'
import { forecast } from '../usage/forecast.ts'
import { usageQuery } from '../usage/usage-query.ts'
import { Tile, Unread } from './Tiles.tsx'

const PACE_DAYS = 30

/** What is left, and until when it lasts at the pace of the last month. */
export function CreditsTile() {
  const scene = useScene()
  const { data, isError } = useQuery(accountQuery(scene))
  const credits = data?.credits
  return (
    <Tile name="Credits left" to="/usage" about={credits && <RunOut {...credits} />}>
      {credits ? credits.unlimited ? 'Unlimited' : formatNumber(credits.available) : isError ? <Unread /> : '…'}
    </Tile>
  )
}

function RunOut({ available, unlimited }: { available: number; unlimited: boolean }) {
  const { data, isError } = useQuery({ ...usageQuery(useScene(), PACE_DAYS, 'day'), enabled: !unlimited })
  if (unlimited) return 'They do not run out'
  if (available === 0) return 'What costs a credit is refused'
  if (data?.days === undefined) return isError ? 'How long they last is not known just now' : null
  const { perDay, until } = forecast(available, data.days, { days: PACE_DAYS, now: new Date() })
  if (perDay === 0) return `None were spent in ${PACE_DAYS} days`
  return until ? `Last until about ${formatDate(until)}` : 'Last for more than two years'
}
