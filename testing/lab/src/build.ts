import { inject } from 'vitest'

/**
 * Waits until the web app or the docs are built from the current sources. Test files that use neither do not wait for a
 * build.
 */
export async function waitForBuild(name: 'web' | 'docs'): Promise<void> {
  const response = await fetch(`${inject('builds')}/${name}`)
  if (!response.ok) throw new Error(await response.text())
}
