import { statfs } from 'node:fs/promises'
import { keepFresh } from '@probity/telemetry/keep-fresh'
import { watchFigures } from '@probity/telemetry/watch-figures'
import type { StorageSettings } from '@probity/uploads/storage-settings'
import type { Registry } from 'prom-client'

const FRESH_FOR_MS = 5_000

/** Free space on the disk for uploaded files. */
export function watchUploads(registry: Registry, { folder }: Pick<StorageSettings, 'folder'>): void {
  const look = keepFresh(FRESH_FOR_MS, () => statfs(folder))
  const labels = ['state']
  watchFigures(registry, look, [
    {
      name: 'probity_uploads_disk_bytes',
      help: 'Size and free space of the disk for uploaded files.',
      labels,
      read: ({ bsize, blocks, bavail }) => [
        { of: { state: 'size' }, value: bsize * blocks },
        { of: { state: 'free' }, value: bsize * bavail },
      ],
    },
  ])
}
