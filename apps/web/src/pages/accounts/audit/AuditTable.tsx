import type { AuditEntry } from '@probity/contract/schemas/operators'
import { formatTime } from '../../../ui/format.ts'
import { Table, Td, Th } from '../../../ui/Table.tsx'
import { actionWords, actorWords, changeLines, subjectWords } from './audit-words.ts'

type AuditTableProps = { entries: AuditEntry[]; withAccount: boolean }

/** The entries of one page. Narrow screens show cards instead of the table. */
export function AuditTable({ entries, withAccount }: AuditTableProps) {
  return (
    <>
      <Table caption="Audit log" className="hidden md:block">
        <thead>
          <tr>
            <Th>Time</Th>
            <Th>Actor</Th>
            <Th>Action</Th>
            {withAccount && <Th>Account</Th>}
          </tr>
        </thead>
        <tbody className="[&_tr:last-child>td]:border-b-0">
          {entries.map((entry) => (
            <tr key={entry.id}>
              <Td className="align-top whitespace-nowrap text-soft">
                <time dateTime={entry.at}>{formatTime(entry.at)}</time>
              </Td>
              <Td className="max-w-48 align-top">
                <Who entry={entry} />
              </Td>
              <Td className="align-top">
                <What entry={entry} />
              </Td>
              {withAccount && (
                <Td className="max-w-48 align-top [overflow-wrap:anywhere]">
                  <Account entry={entry} />
                </Td>
              )}
            </tr>
          ))}
        </tbody>
      </Table>
      <ul aria-label="Audit log" className="flex flex-col divide-y divide-line md:hidden">
        {entries.map((entry) => (
          <li key={entry.id} className="flex flex-col gap-1.5 py-3">
            <What entry={entry} />
            <div className="text-[0.8125rem]">
              <Who entry={entry} />
            </div>
            <p className="text-xs text-faint">
              <time dateTime={entry.at}>{formatTime(entry.at)}</time>
              {withAccount && (
                <>
                  {', '}
                  <Account entry={entry} />
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
    </>
  )
}

function Who({ entry }: { entry: AuditEntry }) {
  const { name, kind } = actorWords(entry)
  const from = [kind, entry.ip].filter(Boolean).join(', ')
  return (
    <div className="[overflow-wrap:anywhere]">
      <p>{name}</p>
      {from && <p className="text-xs text-faint">{from}</p>}
    </div>
  )
}

function What({ entry }: { entry: AuditEntry }) {
  const lines = changeLines(entry.changes)
  const subject = subjectWords(entry)
  return (
    <div className="min-w-0 [overflow-wrap:anywhere]">
      <p>
        <span className="font-medium">{actionWords(entry.action)}</span>
        {subject && <span className="text-soft">: {subject}</span>}
      </p>
      {lines.length > 0 && (
        <ul className="text-[0.8125rem] text-soft">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Account({ entry: { account_id, account_name } }: { entry: AuditEntry }) {
  if (account_id === null) return <>Installation</>
  return <>{account_name ?? `${account_id} (deleted)`}</>
}
