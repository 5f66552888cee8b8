import { clsx } from 'clsx'
import {
  Ban,
  CircleCheck,
  CirclePause,
  ClockAlert,
  CodeXml,
  Ellipsis,
  Pause,
  Pencil,
  Play,
  RefreshCw,
  SlidersHorizontal,
} from 'lucide-react'
import { describeScopes } from '../../../labels/scopes.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { IconButton } from '../../../ui/Button.tsx'
import { DateTime } from '../../../ui/DateTime.tsx'
import { formatCount, formatDate, formatNumber } from '../../../ui/format.ts'
import { Menu, MenuItem, MenuLine } from '../../../ui/Menu.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { CardFact, type Column, DataTable } from '../../../ui/Table.tsx'
import type { Key, KeyAction } from './keys-query.ts'

type KeyTableProps = { caption: string; keys: Key[]; onAct(action: KeyAction): void }

const COLUMNS: Column<Key>[] = [
  { head: 'Name', isRowHead: true, cell: (key) => <KeyName of={key} /> },
  { head: 'Mode', cell: ({ livemode }) => <ModeBadge livemode={livemode} /> },
  { head: 'Scopes', className: 'text-soft', cell: ({ scopes }) => describeScopes(scopes) },
  { head: 'Limits', className: 'text-soft', cell: (key) => <Limits of={key} /> },
  { head: 'Last used', cell: (key) => <KeyUse last_used_at={key.last_used_at} /> },
  { head: 'Expires', className: 'text-soft', cell: (key) => <Ends of={key} /> },
  { head: 'Status', cell: (key) => <KeyStatus status={key.status} replaced_by_key_id={key.replaced_by_key_id} /> },
]

export function KeyTable({ caption, keys, onAct }: KeyTableProps) {
  const menu = (key: Key) => <KeyMenu of={key} onAct={onAct} />
  return (
    <DataTable
      caption={caption}
      columns={[...COLUMNS, { head: 'Actions', isHeadHidden: true, className: 'text-end', cell: menu }]}
      rows={keys}
      keyOf={({ id }) => id}
      cardsBelow="md"
      cardLook="boxes"
      card={(key) => (
        <>
          <div className="flex items-start justify-between gap-2">
            <KeyName of={key} />
            {menu(key)}
          </div>
          <div className="flex flex-wrap gap-2">
            <KeyStatus status={key.status} replaced_by_key_id={key.replaced_by_key_id} />
            <ModeBadge livemode={key.livemode} />
          </div>
          <dl className="grid grid-cols-2 gap-x-4 gap-y-2.5 text-[0.8125rem]">
            <CardFact name="Scopes">{describeScopes(key.scopes)}</CardFact>
            <CardFact name="Limits">
              <Limits of={key} />
            </CardFact>
            <CardFact name="Last used">
              <KeyUse last_used_at={key.last_used_at} />
            </CardFact>
            <CardFact name="Expires">
              <Ends of={key} />
            </CardFact>
          </dl>
        </>
      )}
    />
  )
}

function KeyName({ of: { name, type, hint, created_at: createdAt, replaces_key_id: replaces } }: { of: Key }) {
  return (
    <span className="block min-w-36">
      <span className="block font-medium [overflow-wrap:anywhere]">{name}</span>
      <span className="block text-xs text-faint">
        <code className="font-mono">{hint}</code> · {replaces ? 'Replaces another key, created ' : 'Created '}
        {formatDate(createdAt)}
      </span>
      {type === 'publishable' && <span className="block text-xs text-soft">Publishable key</span>}
    </span>
  )
}

function ModeBadge({ livemode }: Pick<Key, 'livemode'>) {
  return <Badge tone={livemode ? 'accent' : 'risky'}>{livemode ? 'Live' : 'Test'}</Badge>
}

function Limits({ of: key }: { of: Key }) {
  const { ip_allowlist: ips, monthly_cap: cap, allowed_origins: origins, visitor_cap: visits } = key
  if (ips.length + origins.length === 0 && cap === null) return <span className="text-faint">None</span>
  return (
    <>
      {ips.length > 0 && (
        <span className="block" title={ips.join('\n')}>
          {formatCount(ips.length, 'IP address', 'IP addresses')}
        </span>
      )}
      {origins.length > 0 && (
        <span className="block [overflow-wrap:anywhere]" title={origins.join('\n')}>
          {origins.length === 1 ? origins[0] : formatCount(origins.length, 'origin')}
        </span>
      )}
      {visits !== null && <span className="block">{formatNumber(visits)} requests/hour per visitor</span>}
      {cap !== null && <span className="block whitespace-nowrap">{formatNumber(cap)} credits/month</span>}
    </>
  )
}

function Ends({ of: { expires_at: at, revoked_at: revokedAt, status } }: { of: Key }) {
  if (status === 'revoked' && revokedAt !== null) return <RevokedAt at={revokedAt} />
  return at === null ? <span className="text-faint">Never</span> : <DateTime at={at} />
}

function RevokedAt({ at }: { at: string }) {
  return (
    <span className="[&_time]:whitespace-normal">
      Revoked <DateTime at={at} />
    </span>
  )
}

/** The status of a key. A rotated key works until it expires. */
function KeyStatus({ status, replaced_by_key_id: replacedBy }: Pick<Key, 'status' | 'replaced_by_key_id'>) {
  if (status === 'active' && replacedBy)
    return (
      <Badge tone="risky" icon={<RefreshCw aria-hidden="true" />}>
        Rotated
      </Badge>
    )
  const { word, tone, Icon } = LOOKS[status] ?? { ...LOOKS.expired, word: status }
  return (
    <Badge tone={tone} icon={<Icon aria-hidden="true" />}>
      {word}
    </Badge>
  )
}

const LOOKS = {
  active: { word: 'Active', tone: 'valid', Icon: CircleCheck },
  paused: { word: 'Paused', tone: 'risky', Icon: CirclePause },
  revoked: { word: 'Revoked', tone: 'invalid', Icon: Ban },
  expired: { word: 'Expired', tone: 'unknown', Icon: ClockAlert },
} as const

const IDLE_AFTER_MS = 30 * 86_400_000

/** Whether a key is in use, and when it was last used. */
function KeyUse({ last_used_at: at }: Pick<Key, 'last_used_at'>) {
  const isIdle = at !== null && Date.now() - Date.parse(at) > IDLE_AFTER_MS
  const word = at === null ? 'Never used' : isIdle ? 'Idle' : 'In use'
  const dot = at === null ? 'bg-unknown-solid' : isIdle ? 'bg-risky-solid' : 'bg-valid-solid'
  return (
    <span className="flex items-start gap-2 whitespace-nowrap">
      <span className={clsx('mt-1.5 size-2 shrink-0 rounded-full', dot)} aria-hidden="true" />
      <span>
        {word}
        {at !== null && (
          <span className="block text-xs text-faint">
            <RelativeTime at={at} />
          </span>
        )}
      </span>
    </span>
  )
}

function KeyMenu({ of: key, onAct }: { of: Key; onAct(action: KeyAction): void }) {
  if (key.status === 'revoked') return null
  const act = (kind: KeyAction['kind']) => () => onAct({ kind, key })
  const label = `Actions for ${key.name}, ${key.hint}`
  return (
    <Menu
      label={label}
      trigger={
        <IconButton label={label} size="sm">
          <Ellipsis aria-hidden="true" />
        </IconButton>
      }
    >
      <MenuItem icon={<Pencil aria-hidden="true" />} onSelect={act('rename')} disabled={key.status === 'expired'}>
        Rename
      </MenuItem>
      <MenuItem
        icon={<SlidersHorizontal aria-hidden="true" />}
        onSelect={act('limits')}
        disabled={key.status === 'expired'}
      >
        Change limits
      </MenuItem>
      {key.public_key !== null && (
        <MenuItem icon={<CodeXml aria-hidden="true" />} onSelect={act('embed')}>
          Get embed code
        </MenuItem>
      )}
      <MenuItem icon={<RefreshCw aria-hidden="true" />} onSelect={act('rotate')} disabled={!canRotate(key)}>
        Rotate
      </MenuItem>
      {key.paused ? (
        <MenuItem icon={<Play aria-hidden="true" />} onSelect={act('resume')} disabled={key.status === 'expired'}>
          Resume
        </MenuItem>
      ) : (
        <MenuItem icon={<Pause aria-hidden="true" />} onSelect={act('pause')} disabled={key.status === 'expired'}>
          Pause
        </MenuItem>
      )}
      <MenuLine />
      <MenuItem icon={<Ban aria-hidden="true" />} danger onSelect={act('revoke')}>
        Revoke
      </MenuItem>
    </Menu>
  )
}

/** A rotated key expires soon: its successor is the key to rotate. */
function canRotate({ status, replaced_by_key_id: replacedBy }: Key): boolean {
  return status !== 'expired' && !replacedBy
}
