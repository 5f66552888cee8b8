const KEPT = 'probity.organisation'

/** The organisation that was used last, which is shown where the address names none. */
export function readLastOrganisation(): string | null {
  return localStorage.getItem(KEPT)
}

export function keepLastOrganisation(slug: string): void {
  localStorage.setItem(KEPT, slug)
}
