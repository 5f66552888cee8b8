import { openFolderStorage } from './folder-storage.ts'
import { openS3Storage } from './s3-storage.ts'
import type { FileStorage, StorageSettings } from './storage.ts'

/** Opens no connection: an unavailable storage fails at first use. */
export function openStorage(settings: StorageSettings): FileStorage {
  return settings.kind === 's3' ? openS3Storage(settings) : openFolderStorage(settings.folder)
}
