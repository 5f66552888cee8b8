import { join } from 'node:path'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { ROOT } from './programs.ts'
import { run } from './run.ts'

/** Packs the public packages with the command of the release, and returns the folder with the tarballs. */
export function packPackages(): string {
  const folder = makeFolder('probity-packed')
  whenDone(() => removeFolder(folder))
  run(process.execPath, [join(ROOT, 'deploy/release/main.ts'), 'packages', folder], ROOT)
  return folder
}
