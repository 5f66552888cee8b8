import type { UploadPreview } from '@probity/sdk'
import { useMutation } from '@tanstack/react-query'
import { asRequestFailed } from '../../../session/client.ts'
import { useScene } from '../../../session/workspace.ts'
import { Callout } from '../../../ui/Callout.tsx'
import { Field, SelectInput } from '../../../ui/Field.tsx'
import { useReplacedUpload } from './use-upload.ts'

/** The choice of a sheet of a workbook. The rows of another sheet are another upload, which replaces this one. */
export function SheetChoice({ preview }: { preview: UploadPreview }) {
  const { probity } = useScene()
  const showReplaced = useReplacedUpload()
  const choice = useMutation({
    mutationFn: (sheet: string) => probity.uploads.chooseSheet(preview.upload_id, sheet),
    onSuccess: (next) => showReplaced(next),
  })
  return (
    <div className="flex flex-col gap-3">
      <Field label="Sheet" hint={`The workbook has ${preview.sheets.length} sheets. One of them is validated.`}>
        {(ids) => (
          <SelectInput
            {...ids}
            value={(choice.isPending ? choice.variables : preview.sheet) ?? ''}
            aria-busy={choice.isPending}
            onChange={({ target }) => !choice.isPending && choice.mutate(target.value)}
            className="max-w-96"
          >
            {preview.sheets.map((sheet) => (
              <option key={sheet} value={sheet}>
                {sheet}
              </option>
            ))}
          </SelectInput>
        )}
      </Field>
      <p role="status" className="text-soft empty:hidden">
        {choice.isPending && 'Reading the sheet.'}
      </p>
      {choice.error && (
        <Callout kind="error" live title="The sheet could not be read">
          {asRequestFailed(choice.error).message}
        </Callout>
      )}
    </div>
  )
}
