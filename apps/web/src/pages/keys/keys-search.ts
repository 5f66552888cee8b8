/** Whether keys that have ended are shown, too, and whether one is being made. */
export type KeysSearch = { ended?: true | undefined; create?: true | undefined }

export function readKeysSearch({ ended, create }: Record<string, unknown>): KeysSearch {
  return { ...(ended === true && { ended }), ...(create === true && { create }) }
}
