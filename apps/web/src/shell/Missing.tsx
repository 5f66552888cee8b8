import { Link } from '@tanstack/react-router'
import { buttonClass } from '../ui/Button.tsx'
import { OpenPage } from './OpenPage.tsx'

export function Missing() {
  return (
    <OpenPage title="Page not found" about="The URL may be mistyped, or the page was removed.">
      <Link to="/" className={buttonClass('primary')}>
        Go to dashboard
      </Link>
    </OpenPage>
  )
}
