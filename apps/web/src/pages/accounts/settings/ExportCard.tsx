import { Download } from 'lucide-react'
import { useState } from 'react'
import { APP_HEADERS, readFailure, unreachable } from '../../../session/ask.ts'
import { useScene } from '../../../session/scene.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { useToasts } from '../../../ui/Toasts.tsx'
import { PasswordDialog } from '../../users/profile/PasswordDialog.tsx'

const FILE = 'probity-export.ndjson'

export function ExportCard() {
  const { account_id: accountId } = useScene().membership
  const toasts = useToasts()
  const [isOpen, setOpen] = useState(false)
  const take = async (password: string) => {
    saveFile(await fetchExport(accountId, password), FILE)
    setOpen(false)
    toasts.done(`${FILE} downloaded.`)
  }
  return (
    <Card
      title="Export all data"
      about="All stored data of the account in one file (JSON Lines): members, keys without secrets, webhooks, policies, allow & block lists, lists with unexpired results, single results and credit transactions. Uploaded files are not included."
    >
      <Button onClick={() => setOpen(true)} icon={<Download className="size-4" aria-hidden="true" />}>
        Export all data
      </Button>
      {isOpen && (
        <PasswordDialog
          title="Export all data"
          about="The file contains personal data. It is a snapshot of the account at this time."
          action="Export data"
          onClose={() => setOpen(false)}
          onPassword={take}
        />
      )}
    </Card>
  )
}

/** A plain link cannot send a password, so the file is downloaded in memory. Its last line proves that it is complete. */
async function fetchExport(accountId: string, password: string): Promise<Blob> {
  const response = await fetch('/app/api/export', {
    method: 'POST',
    headers: { ...APP_HEADERS, 'probity-account': accountId, 'content-type': 'application/json' },
    body: JSON.stringify({ password }),
  }).catch(() => {
    throw unreachable()
  })
  if (!response.ok) throw await readFailure(response)
  const blob = await response.blob().catch(() => {
    throw unreachable()
  })
  const end = await blob.slice(-200).text()
  if (!/\{"record":"end","records":\d+\}\n$/.test(end)) throw unreachable()
  return blob
}
