/** The name of a key. Usage in the web app has no key. */
export function keyLabel({ key_id, key_name }: { key_id: string | null; key_name: string | null }): string {
  if (key_id === null) return 'Web app'
  return key_name ?? `Key ${key_id.slice(0, 8)}`
}
