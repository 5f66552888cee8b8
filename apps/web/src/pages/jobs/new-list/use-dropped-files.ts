import { useEffect, useEffectEvent, useState } from 'react'

/** Accepts files dropped anywhere on the page, which the browser would open otherwise. Returns whether a file hovers. */
export function useDroppedFiles(take: (files: File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false)
  const onDrop = useEffectEvent(take)
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!carriesFiles(event)) return
      event.preventDefault()
      setIsOver(true)
    }
    // dragleave fires for every element; only without a related target has the drag left the page.
    const leave = (event: DragEvent) => event.relatedTarget === null && setIsOver(false)
    const drop = (event: DragEvent) => {
      setIsOver(false)
      if (!carriesFiles(event)) return
      event.preventDefault()
      onDrop([...(event.dataTransfer?.files ?? [])])
    }
    const listeners = { dragover: over, dragleave: leave, drop }
    for (const [name, listener] of Object.entries(listeners)) {
      window.addEventListener(name, listener as EventListener)
    }
    return () => {
      for (const [name, listener] of Object.entries(listeners)) {
        window.removeEventListener(name, listener as EventListener)
      }
    }
  }, [])
  return isOver
}

type Pasted = { onFiles(files: File[]): void; onText(text: string): void }

/** Handles a paste anywhere on the page except in fields, which handle it themselves. */
export function usePaste({ onFiles, onText }: Pasted): void {
  const paste = useEffectEvent((event: ClipboardEvent) => {
    const { files, text } = contentsOf(event)
    if (files.length > 0) {
      event.preventDefault()
      onFiles(files)
      return
    }
    if (isField(event.target) || !text.includes('@')) return
    event.preventDefault()
    onText(text)
  })
  useEffect(() => {
    const listener = (event: ClipboardEvent) => paste(event)
    document.addEventListener('paste', listener)
    return () => document.removeEventListener('paste', listener)
  }, [])
}

function contentsOf({ clipboardData }: ClipboardEvent) {
  return { files: [...(clipboardData?.files ?? [])], text: clipboardData?.getData('text/plain') ?? '' }
}

const carriesFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false
const isField = (target: EventTarget | null) => target instanceof Element && target.closest('input, textarea') !== null
