import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { asRequestFailed } from '../../../session/probity.ts'
import { useScene } from '../../../session/scene.ts'
import { useToasts } from '../../../ui/Toasts.tsx'
import type { Opened } from './KeyDialogs.tsx'
import type { KeyAction } from './key-action.ts'
import type { NewKey } from './keys-query.ts'
import { useRefreshKeys } from './use-refresh-keys.ts'

/** The actions of the API keys page, and the open dialog. */
export function useKeyActions() {
  const scene = useScene()
  const tell = useToasts()
  const navigate = useNavigate()
  const { create = false } = useSearch({ from: '/shell/keys' })
  const [opened, setOpened] = useState<Opened>()
  const refresh = useRefreshKeys()
  const setCreating = (is: boolean) =>
    navigate({ to: '.', search: (now) => ({ ...now, create: is ? true : undefined }), replace: !is })

  async function setPaused({ key }: KeyAction, paused: boolean) {
    try {
      await scene.probity.keys[paused ? 'pause' : 'resume'](key.id)
      tell.done(paused ? `${key.name} paused.` : `${key.name} resumed.`)
    } catch (error) {
      tell.failed(`${key.name} was not changed. ${asRequestFailed(error).message}`)
    }
    refresh()
  }

  return {
    opened: opened ?? (create ? { kind: 'create' as const } : undefined),
    create: () => void setCreating(true),
    act(action: KeyAction) {
      if (action.kind === 'pause' || action.kind === 'resume') void setPaused(action, action.kind === 'pause')
      else setOpened({ kind: action.kind, key: action.key })
    },
    /** The list is not refetched before the dialog closes: rendering it again would discard the secret. */
    made(made: NewKey) {
      setOpened(made.type === 'publishable' ? { kind: 'embed', key: made } : { kind: 'secret', made })
      if (create) void setCreating(false)
    },
    done(said: string) {
      setOpened(undefined)
      tell.done(said)
      refresh()
    },
    close() {
      if (opened?.kind === 'secret' || opened?.kind === 'embed') refresh()
      setOpened(undefined)
      if (create) void setCreating(false)
    },
  }
}
