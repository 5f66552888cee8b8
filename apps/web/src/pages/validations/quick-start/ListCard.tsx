import { Link } from '@tanstack/react-router'
import { Upload } from 'lucide-react'
import { useMay } from '../../../session/may.ts'
import { buttonClass } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'

export function ListCard() {
  const may = useMay('jobs:write')
  return (
    <Card
      title="Validate a list"
      about="Upload a CSV file, choose the email column, confirm the cost and download the results."
    >
      {may ? (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Link to="/lists/new" search={{ mode: 'test' }} className={buttonClass('secondary')}>
            <Upload className="size-4" aria-hidden="true" />
            Upload list in test mode
          </Link>
          <p className="text-soft">A sample file is available.</p>
        </div>
      ) : (
        <p className="text-soft">
          Your role cannot upload lists. You need the role owner, admin, developer or marketer.
        </p>
      )}
    </Card>
  )
}
