import { useEffect, useRef } from 'react'

/** On narrow screens the open tab may be outside the visible area. Scrolls only the tab row, not the page. */
export function useOpenTabInView(to: string | undefined) {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    const open = to && row.current?.querySelector<HTMLElement>(`[href*="${to}"]`)
    if (!row.current || !open) return
    const { left, width } = open.getBoundingClientRect()
    const middle = row.current.getBoundingClientRect().left + row.current.clientWidth / 2
    row.current.scrollLeft += left + width / 2 - middle
  }, [to])
  return row
}
