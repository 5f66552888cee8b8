import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'

/**
 * A file system of its own, in a file, mounted as Debian mounts a disk: ext4 that does not tell the disk of every block that becomes free. A machine that does
 * (`discard`) would be measured and not the product. Takes root.
 */
export function mountOwnDisk(gigabytes: number, cleanUp: AsyncDisposableStack): string {
  const folder = makeFolder('probity-disk')
  cleanUp.defer(() => removeFolder(folder))
  const image = join(folder, 'image')
  const disk = join(folder, 'disk')
  writeFileSync(image, '')
  truncateSync(image, gigabytes * 2 ** 30)
  execFileSync('mkfs.ext4', ['-q', '-F', image])
  mkdirSync(disk)
  execFileSync('mount', ['-o', 'loop,nodiscard', image, disk])
  cleanUp.defer(() => void execFileSync('umount', [disk]))
  for (const path of [folder, disk]) chmodSync(path, 0o755) // servers that run as somebody else look into it
  return disk
}

/** How the file system is mounted that a folder is on, as Linux says it. */
export function mountOf(folder: string): string {
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, place = '/none']) => `${folder}/`.startsWith(place.endsWith('/') ? place : `${place}/`))
    .toSorted(([, one = ''], [, other = '']) => one.length - other.length)
  const [, , kind, options] = mounts.at(-1) ?? []
  return `${kind} ${options}`
}
