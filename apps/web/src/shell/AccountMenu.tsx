import { useQueryClient } from '@tanstack/react-query'
import { LogOut } from 'lucide-react'
import { signOut, useSession } from '../session/session.ts'
import { IconButton } from '../ui/Button.tsx'
import { Menu, MenuChoice, MenuChoices, MenuItem, MenuLabel, MenuLine } from '../ui/Menu.tsx'
import { MenuEntry } from './MenuEntry.tsx'
import { PROFILE_MENU } from './navigation.ts'
import { keepTheme, type Theme, useTheme } from './theme.ts'

export function AccountMenu() {
  const { person } = useSession()
  const queryClient = useQueryClient()
  const theme = useTheme()
  return (
    <Menu
      label="Your profile"
      trigger={
        <IconButton
          label={`Your profile: ${person.name}`}
          size="sm"
          className="rounded-full! bg-accent-soft text-accent-text!"
        >
          {/* The initials are decorative; the accessible name is in the label. */}
          <span
            data-initials={initials(person.name || person.email)}
            className="text-xs font-semibold before:content-[attr(data-initials)]"
          />
        </IconButton>
      }
    >
      <div className="max-w-60 px-2.5 py-1.5">
        <p className="truncate font-medium">{person.name}</p>
        <p className="truncate text-[0.8125rem] text-faint">{person.email}</p>
      </div>
      <MenuLine />
      {PROFILE_MENU.map((entry) => (
        <MenuEntry key={entry.label} place={entry} />
      ))}
      <MenuLine />
      <MenuLabel>Appearance</MenuLabel>
      <MenuChoices value={theme} onChange={(chosen) => keepTheme(chosen as Theme)}>
        <MenuChoice value="system">System</MenuChoice>
        <MenuChoice value="light">Light</MenuChoice>
        <MenuChoice value="dark">Dark</MenuChoice>
      </MenuChoices>
      <MenuLine />
      <MenuItem icon={<LogOut aria-hidden="true" />} onSelect={() => void signOut(queryClient)}>
        Sign out
      </MenuItem>
    </Menu>
  )
}

function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  const [first = '', last = ''] = [words.at(0), words.length > 1 ? words.at(-1) : '']
  return (first.charAt(0) + last.charAt(0)).toUpperCase()
}
