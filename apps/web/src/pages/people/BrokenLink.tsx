import { Link } from '@tanstack/react-router'
import { OpenPage } from '../../shell/OpenPage.tsx'
import { buttonClass } from '../../ui/Button.tsx'

/** For a link that lost its end, or a page that was loaded anew after the end was taken away. */
export function BrokenLink({ about = 'A part of it is missing. Open the link once more, as it was sent to you.' }) {
  return (
    <OpenPage title="The link is not complete" about={about}>
      <Link to="/sign-in" className={buttonClass('secondary', 'lg', 'w-full')}>
        To the sign-in
      </Link>
    </OpenPage>
  )
}
