import { type RefObject, useEffect, useRef } from 'react'

/** Focuses the heading when its page opens, so that screen readers announce it. */
export function useHeadingFocus(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  // A new title is a new page.
  useEffect(() => {
    // Not on the first page, which the browser itself announces.
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
