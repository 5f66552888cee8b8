import { Link } from '@tanstack/react-router'
import { OpenPage } from '../../../shell/OpenPage.tsx'
import { buttonClass } from '../../../ui/Button.tsx'

/** For a truncated link, or a page reloaded after the token was removed from the URL. */
export function BrokenLink({
  about = 'Part of the link is missing. Open the link again exactly as it was sent to you.',
}) {
  return (
    <OpenPage title="Incomplete link" about={about}>
      <Link to="/sign-in" className={buttonClass('secondary', 'lg', 'w-full')}>
        Go to sign-in
      </Link>
    </OpenPage>
  )
}
