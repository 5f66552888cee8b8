import { type RefObject, useMemo } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Field, TextArea } from '../../../ui/Field.tsx'
import { formatCount } from '../../../ui/format.ts'
import { makePastedFile, readPasted } from './pasted-addresses.ts'

type PasteBoxProps = {
  ref: RefObject<HTMLTextAreaElement | null>
  text: string
  onChange(text: string): void
  onSend(file: File): void
}

/** Pasted addresses. They are uploaded as a file with the column `email`. */
export function PasteBox({ ref, text, onChange, onSend }: PasteBoxProps) {
  const { emails, skippedLines } = useMemo(() => readPasted(text), [text])
  return (
    <Card>
      <Field
        label="Or paste addresses"
        hint="One per line, or separated by commas. Display names and mailto: are removed."
      >
        {(ids) => (
          <TextArea
            {...ids}
            ref={ref}
            value={text}
            onChange={({ target }) => onChange(target.value)}
            rows={4}
            spellCheck={false}
            autoComplete="off"
            placeholder="ada@example.com"
            className="max-h-72 font-mono text-[0.8125rem]"
          />
        )}
      </Field>
      <div className="mt-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p role="status" className="text-soft">
          {text.trim() !== '' && found(emails.length, skippedLines)}
        </p>
        <Button disabled={emails.length === 0} onClick={() => onSend(makePastedFile(emails))}>
          Use these addresses
        </Button>
      </div>
    </Card>
  )
}

function found(emails: number, skippedLines: number): string {
  const skipped = skippedLines > 0 ? ` ${formatCount(skippedLines, 'line')} without an address skipped.` : ''
  return `${formatCount(emails, 'address', 'addresses')} found.${skipped}`
}
