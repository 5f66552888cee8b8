import { type RefObject, useEffect, useRef } from 'react'

/** A heading that takes the focus when its page opens, so that readers hear where they are. */
export function useHeadingFocus(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  // Another title is another page.
  useEffect(() => {
    // Not on the first page, where the browser itself has just said what was opened.
    if (hasOpenedBefore()) heading.current?.focus()
  }, [title])
  return heading
}

let opened = false
function hasOpenedBefore(): boolean {
  const before = opened
  opened = true
  return before
}
