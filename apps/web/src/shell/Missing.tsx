import { Link } from '@tanstack/react-router'
import { buttonClass } from '../ui/Button.tsx'
import { OpenPage } from './OpenPage.tsx'

export function Missing() {
  return (
    <OpenPage title="There is no such page" about="The address may be mistyped, or what it led to is gone.">
      <Link to="/" className={buttonClass('primary')}>
        To the start
      </Link>
    </OpenPage>
  )
}
