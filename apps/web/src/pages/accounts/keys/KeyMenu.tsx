import { Ban, CodeXml, Ellipsis, Pause, Pencil, Play, RefreshCw, SlidersHorizontal } from 'lucide-react'
import { IconButton } from '../../../ui/Button.tsx'
import { Menu, MenuItem, MenuLine } from '../../../ui/Menu.tsx'
import type { KeyAction } from './key-action.ts'
import type { Key } from './keys-query.ts'

export function KeyMenu({ of: key, onAct }: { of: Key; onAct(action: KeyAction): void }) {
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
