/** A key by its name; what people did has none. */
export function keyLabel({ key_id, key_name }: { key_id: string | null; key_name: string | null }): string {
  if (key_id === null) return 'Web application'
  return key_name ?? `Key ${key_id.slice(0, 8)}`
}
