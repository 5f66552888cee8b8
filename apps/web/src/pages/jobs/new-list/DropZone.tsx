import { clsx } from 'clsx'
import { FileUp } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useDroppedFiles } from './use-dropped-files.ts'

type DropZoneProps = {
  onFiles(files: File[]): void
  /** Whether it replaces an element that had the focus. */
  takesFocus: boolean
  children?: ReactNode
}

/** A drop area that is also a button, so that dragging is optional. */
export function DropZone({ onFiles, takesFocus, children }: DropZoneProps) {
  const zone = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (takesFocus) zone.current?.focus()
  }, [takesFocus])
  const input = useRef<HTMLInputElement>(null)
  const isOver = useDroppedFiles(onFiles)
  const choose = ({ files }: HTMLInputElement) => {
    onFiles([...(files ?? [])])
    // Choosing the same file again, corrected in the meantime, must fire a change event too.
    if (input.current) input.current.value = ''
  }
  return (
    <>
      <button
        ref={zone}
        type="button"
        onClick={() => input.current?.click()}
        className={clsx(
          'flex min-h-52 w-full flex-col items-center justify-center gap-3 rounded-lg border-[1.5px] border-dashed px-4 py-8 text-center transition-colors',
          isOver
            ? 'border-accent bg-accent-soft'
            : 'border-edge/70 bg-surface hover:border-accent hover:bg-accent-soft/40',
        )}
      >
        <span className="grid size-11 place-items-center rounded-full bg-accent-soft text-accent-text">
          <FileUp className="size-5" aria-hidden="true" />
        </span>
        <span className="text-base font-semibold">
          {isOver ? 'Drop the file to upload it' : 'Choose a file, or drop it here'}
        </span>
        <span className="max-w-md text-soft">{children}</span>
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
        onChange={({ target }) => choose(target)}
      />
    </>
  )
}
