import { statfs } from 'node:fs/promises'
import { keepFresh } from '@probity/telemetry/keep-fresh'
import { watchFigures } from '@probity/telemetry/watch-figures'
import type { StorageSettings } from '@probity/uploads/storage-settings'
import type { Registry } from 'prom-client'

const FRESH_FOR_MS = 5_000

/** The room that is left on the disk through which every uploaded file passes. */
export function watchUploads(registry: Registry, { folder }: Pick<StorageSettings, 'folder'>): void {
  const look = keepFresh(FRESH_FOR_MS, () => statfs(folder))
  const labels = ['state']
  watchFigures(registry, look, [
    {
      name: 'probity_uploads_disk_bytes',
      help: 'The disk that uploaded files pass through: its size, and what of it is free.',
      labels,
      read: ({ bsize, blocks, bavail }) => [
        { of: { state: 'size' }, value: bsize * blocks },
        { of: { state: 'free' }, value: bsize * bavail },
      ],
    },
  ])
}
