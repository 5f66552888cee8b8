import { Link } from '@tanstack/react-router'
import { Upload } from 'lucide-react'
import { useMay } from '../../session/may.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'

export function ListCard() {
  const may = useMay('jobs:write')
  return (
    <Card
      title="Clean a list"
      about="Upload a CSV, choose the column, see what it costs before it starts, and download what to keep."
    >
      {may ? (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Link to="/lists/new" search={{ mode: 'test' }} className={buttonClass('secondary')}>
            <Upload className="size-4" aria-hidden="true" />
            Upload a list in test mode
          </Link>
          <p className="text-soft">There is a sample file, if you have none at hand.</p>
        </div>
      ) : (
        <p className="text-soft">Your role cannot upload lists. Marketers, developers, admins and owners can.</p>
      )}
    </Card>
  )
}
