import { Link } from '@tanstack/react-router'
import { MenuLink } from '../ui/Menu.tsx'
import type { OtherPlace, Place } from './navigation.ts'

/** A navigation link in a menu. */
export function MenuPlace({ place: { label, Icon, ...where } }: { place: Place | OtherPlace }) {
  const shown = (
    <>
      <Icon aria-hidden="true" />
      {label}
    </>
  )
  return <MenuLink>{'to' in where ? <Link to={where.to}>{shown}</Link> : <a href={where.href}>{shown}</a>}</MenuLink>
}
