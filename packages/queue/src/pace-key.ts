import { createHash } from 'node:crypto'

/**
 * Where it stands in Redis how fast a site may be asked from one of our ways out. Who chooses the names of mail hosts chooses a site's
 * name, but must not choose the name of a key or its length.
 */
export function paceKey(prefix: string, { egress, site }: { egress: string; site: string }): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([egress, site]))
    .digest('base64url')
  return `${prefix}:pace:{${hash}}`
}
