/** Whether expired and revoked keys are shown, and whether the form for a new key is open. */
export type KeysSearch = { ended?: true | undefined; create?: true | undefined }

export function readKeysSearch({ ended, create }: Record<string, unknown>): KeysSearch {
  return { ...(ended === true && { ended }), ...(create === true && { create }) }
}
