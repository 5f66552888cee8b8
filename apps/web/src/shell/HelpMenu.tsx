import { CircleHelp } from 'lucide-react'
import { IconButton } from '../ui/Button.tsx'
import { Menu } from '../ui/Menu.tsx'
import { MenuPlace } from './MenuPlace.tsx'
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
      <MenuPlace place={QUICK_START} />
      <MenuPlace place={DOCS} />
      <MenuPlace place={REFERENCE} />
    </Menu>
  )
}
