import { CircleHelp } from 'lucide-react'
import { IconButton } from '../ui/Button.tsx'
import { Menu } from '../ui/Menu.tsx'
import { MenuEntry } from './MenuEntry.tsx'
import { DOCS, QUICK_START, REFERENCE } from './navigation.ts'

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
      <MenuEntry place={QUICK_START} />
      <MenuEntry place={DOCS} />
      <MenuEntry place={REFERENCE} />
    </Menu>
  )
}
