import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The only file that says where releases are published:
 *
 * - `registry`: host of the container registry, such as `registry.example.com`
 * - `image`: name of the image in it, such as `probity/probity`
 * - `repository`: URL of the source repository, for package manifests and image labels
 * - `contact`: email address or URL for security reports
 *
 * The repository itself leaves them empty, and the release workflow stops until they are set.
 */
export const NAMES_FILE = join(import.meta.dirname, 'names.json')

const KEYS = ['registry', 'image', 'repository', 'contact'] as const

export type ReleaseNames = Record<(typeof KEYS)[number], string>

export class EmptyNames extends Error {}

export function readReleaseNames(file = NAMES_FILE): Partial<ReleaseNames> {
  return JSON.parse(readFileSync(file, 'utf8')) as Partial<ReleaseNames>
}

/** Throws `EmptyNames` if a value is missing or empty. */
export function getReleaseNames(file = NAMES_FILE): ReleaseNames {
  const names = readReleaseNames(file)
  const empty = KEYS.filter((key) => typeof names[key] !== 'string' || names[key].trim() === '')
  if (empty.length > 0) throw new EmptyNames(`Set ${empty.join(', ')} in deploy/release/names.json before a release.`)
  return names as ReleaseNames
}
