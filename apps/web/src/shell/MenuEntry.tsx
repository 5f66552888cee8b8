import { Link } from '@tanstack/react-router'
import { MenuLink } from '../ui/Menu.tsx'
import type { ExternalEntry, NavigationEntry } from './navigation.ts'

/** A navigation link in a menu. */
export function MenuEntry({ place: { label, Icon, ...where } }: { place: NavigationEntry | ExternalEntry }) {
  const shown = (
    <>
      <Icon aria-hidden="true" />
      {label}
    </>
  )
  return <MenuLink>{'to' in where ? <Link to={where.to}>{shown}</Link> : <a href={where.href}>{shown}</a>}</MenuLink>
}
