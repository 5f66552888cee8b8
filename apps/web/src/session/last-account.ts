const KEPT = 'probity.account'

/** The last used account, shown if the URL names none. */
export function readLastAccount(): string | null {
  return localStorage.getItem(KEPT)
}

export function keepLastAccount(slug: string): void {
  localStorage.setItem(KEPT, slug)
}
