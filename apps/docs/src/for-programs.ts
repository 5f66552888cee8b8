import { addressOf, copyAddressOf, type Text } from './texts.ts'

/** The site as Markdown: a copy of every page, a list of all pages (llms.txt), and all pages in one file. */
export function describeForPrograms(texts: Text[]): [name: string, content: string][] {
  const copies = texts.map(({ id, title, copy }): [string, string] => [`${id}.md`, `# ${title}\n\n${copy}\n`])
  return [...copies, ['llms.txt', listOf(texts)], ['llms-full.txt', allOf(texts)]]
}

function listOf([first, ...texts]: Text[]): string {
  const lines = texts.map(({ id, title, description }) => `- [${title}](${copyAddressOf(id)}): ${description}`)
  return `# Probity\n\n> ${first?.description ?? ''}\n\n${ADVICE}\n\n## Pages\n\n${lines.join('\n')}\n`
}

const ADVICE = `Every page below is Markdown; the URL without \`.md\` is the HTML page.
The OpenAPI document of the API is at \`/api/v1/openapi.json\`, and all pages in one file are at \`/llms-full.txt\`.`

function allOf(texts: Text[]): string {
  return texts.map(({ id, title, copy }) => `# ${title}\n\nAddress: ${addressOf(id)}\n\n${copy}\n`).join('\n---\n\n')
}
