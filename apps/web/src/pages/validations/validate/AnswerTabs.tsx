import { useState } from 'react'
import { CodeBlock, CodeTabs } from '../../../ui/Code.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { validateSnippets } from '../../accounts/keys/validate-snippets.ts'
import { type Explain, ResultDetails } from '../result/ResultDetails.tsx'
import type { Answer } from './use-validation.ts'

type AnswerTabsProps = { answer: Answer; onTry(email: string): void; withCode?: boolean; Explain?: Explain | undefined }

/** The result with explanations, as JSON, and as code that requests it. */
export function AnswerTabs({ answer, onTry, withCode = false, Explain }: AnswerTabsProps) {
  const [open, setOpen] = useState('explained')
  const { result, charged } = answer
  const snippets = validateSnippets({ host: window.location.origin, email: result.email })
  const explained = (
    <ResultDetails
      result={result}
      charged={charged}
      onTry={onTry}
      onAskAgain={() => onTry(result.email)}
      Explain={Explain}
    />
  )
  const json = <CodeBlock code={JSON.stringify(result, null, 2)} label="Result as JSON" />
  return (
    <Tabs
      label="Result"
      value={open}
      onChange={setOpen}
      tabs={[
        { value: 'explained', label: 'Details', content: explained },
        { value: 'json', label: 'JSON', content: json },
        ...(withCode ? [{ value: 'code', label: 'Code', content: <CodeTabs label="Code" snippets={snippets} /> }] : []),
      ]}
    />
  )
}
