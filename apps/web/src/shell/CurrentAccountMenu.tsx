import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown } from 'lucide-react'
import { useSession } from '../session/session.ts'
import { useScene } from '../session/workspace.ts'
import { buttonClass } from '../ui/Button.tsx'
import { Menu, MenuChoice, MenuChoices, MenuLabel, MenuLine } from '../ui/Menu.tsx'
import { MenuEntry } from './MenuEntry.tsx'
import { MEMBERS, NEW_ACCOUNT } from './navigation.ts'

export function CurrentAccountMenu() {
  const { memberships, person } = useSession()
  const { membership } = useScene()
  const navigate = useNavigate()
  return (
    <Menu
      label="Accounts"
      align="start"
      trigger={
        <button type="button" className={buttonClass('quiet', 'sm', 'min-w-0 max-w-64 shrink text-ink!')}>
          <span className="sr-only">Account:</span>
          <span className="truncate font-medium">{membership.name}</span>
          <ChevronsUpDown className="size-3.5 shrink-0 text-faint" aria-hidden="true" />
        </button>
      }
    >
      <MenuLabel>Accounts</MenuLabel>
      <MenuChoices
        value={membership.slug}
        onChange={(slug) => void navigate({ to: '/', search: ({ mode }) => ({ mode, org: slug }) })}
      >
        {memberships.map((one) => (
          <MenuChoice key={one.account_id} value={one.slug}>
            <span className="min-w-0 truncate">{one.name}</span>
            <span className="ms-auto ps-3 text-xs text-faint capitalize">{one.role}</span>
          </MenuChoice>
        ))}
      </MenuChoices>
      <MenuLine />
      <MenuEntry place={MEMBERS} />
      {person.may_create_accounts && <MenuEntry place={NEW_ACCOUNT} />}
    </Menu>
  )
}
