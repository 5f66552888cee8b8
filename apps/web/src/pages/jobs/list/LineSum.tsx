import { describeLines, type LineCounts } from '@probity/contract/constants/texts/jobs'
import { Fragment } from 'react'

/** What became of every line of a list, as a sum that closes. The CLI and emails say the same. */
export function LineSum({ sum }: { sum: LineCounts }) {
  const [whole, ...parts] = `${describeLines(sum)}.`.split(/(?<=[:,]) /)
  return (
    <span className="tabular-nums">
      {whole}
      {parts.map((part) => (
        // A number stays with its name.
        <Fragment key={part}>
          {' '}
          <span className="whitespace-nowrap">{part}</span>
        </Fragment>
      ))}
    </span>
  )
}
