import { CircleHelp } from 'lucide-react'
import { IconButton } from '../ui/Button.tsx'
import { Menu } from '../ui/Menu.tsx'
import { MenuEntry } from './MenuEntry.tsx'
import { HELP_MENU } from './navigation.ts'

export function HelpMenu() {
  return (
    <Menu
      label="Help"
      trigger={
        <IconButton label="Help" size="sm">
          <CircleHelp />
        </IconButton>
      }
    >
      {HELP_MENU.map((entry) => (
        <MenuEntry key={entry.label} place={entry} />
      ))}
    </Menu>
  )
}
