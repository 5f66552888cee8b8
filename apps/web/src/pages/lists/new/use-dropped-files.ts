import { useEffect, useEffectEvent, useState } from 'react'

/** Takes files that are dropped anywhere on the page, where the browser would open them instead. Says whether one hovers. */
export function useDroppedFiles(take: (files: File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false)
  const onDrop = useEffectEvent(take)
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!carriesFiles(event)) return
      event.preventDefault()
      setIsOver(true)
    }
    // It leaves every element it passes over, and the page only when it comes to none.
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

/** Takes what is pasted anywhere on the page, but for fields, which take it themselves. */
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
