import { useState } from 'react'
import { CopyButton } from './Button.tsx'
import { ScrollRegion } from './Table.tsx'
import { Tabs } from './Tabs.tsx'

/** A code block with a copy button. Scrollable by keyboard. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <div className="group relative rounded-md border border-line bg-sunken">
      <ScrollRegion label={label} className="me-11 max-h-[28rem] overflow-auto">
        <pre className="p-4 pe-1 font-mono text-[0.8125rem] leading-relaxed">
          <code>{code}</code>
        </pre>
      </ScrollRegion>
      <div className="absolute end-2 top-2">
        <CopyButton text={code} label={`Copy: ${label}`} />
      </div>
    </div>
  )
}

export type Snippet = { language: string; code: string }

const CHOSEN = 'probity.language'

/** The same code in several languages. The last chosen language is preselected on every page. */
export function CodeTabs({ label, snippets }: { label: string; snippets: Snippet[] }) {
  const [chosen, setChosen] = useState(() => localStorage.getItem(CHOSEN))
  const open = snippets.find(({ language }) => language === chosen) ?? snippets[0]
  const choose = (language: string) => {
    localStorage.setItem(CHOSEN, language)
    setChosen(language)
  }
  return (
    <Tabs
      label={label}
      value={open?.language ?? ''}
      onChange={choose}
      tabs={snippets.map(({ language, code }) => ({
        value: language,
        label: language,
        content: <CodeBlock code={code} label={`${label}, ${language}`} />,
      }))}
    />
  )
}
