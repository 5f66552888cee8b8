import { Link } from '@tanstack/react-router'
import { Tag } from 'lucide-react'

/** The tags of a list. Each links to the lists with this tag. */
export function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null
  return (
    <ul aria-label="Tags" className="flex flex-wrap gap-x-1.5 gap-y-1">
      {tags.map((tag) => (
        <li key={tag} className="min-w-0">
          <Link
            to="/lists"
            search={{ tag }}
            className="inline-flex min-h-6 max-w-full items-center gap-1 rounded-full bg-sunken px-2 text-xs text-soft underline-offset-4 hover:text-ink hover:underline"
          >
            <Tag className="size-3 shrink-0" aria-hidden="true" />
            <span className="[overflow-wrap:anywhere]">{tag}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
