import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'

/**
 * A separate file system in a file, mounted as Debian mounts a disk: ext4 without `discard`. With `discard` the
 * benchmark would measure the disk's handling of freed blocks and not the product. Needs root.
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
  for (const path of [folder, disk]) chmodSync(path, 0o755) // servers that run as other users read it
  return disk
}

/** The mount options of the file system of a folder, as Linux reports them. */
export function mountOf(folder: string): string {
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, place = '/none']) => `${folder}/`.startsWith(place.endsWith('/') ? place : `${place}/`))
    .toSorted(([, one = ''], [, other = '']) => one.length - other.length)
  const [, , kind, options] = mounts.at(-1) ?? []
  return `${kind} ${options}`
}
