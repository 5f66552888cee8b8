import { defineCollection } from 'astro:content'
import { pathToFileURL } from 'node:url'
import { docsSchema } from '@astrojs/starlight/schema'
import type { Loader } from 'astro/loaders'
import { MISSING, readTexts } from './texts.ts'

/** Our texts as they lie in the repository: plain Markdown, which has its title in its first line. */
const textLoader: Loader = {
  name: 'texts',
  async load({ store, parseData, renderMarkdown, generateDigest }) {
    store.clear()
    for (const { id, title, label, description, page } of [...readTexts(), MISSING]) {
      const data = await parseData({ id, data: { title, description, sidebar: { label } } })
      // Starlight gives headings their links in the folders that its configuration names: this stands for all of ours.
      const rendered = await renderMarkdown(page, { fileURL: pathToFileURL(`texts/${id}.md`) })
      const html = countTwice(rendered.html)
      store.set({ id, data, body: page, digest: generateDigest(html), rendered: { ...rendered, html } })
    }
  },
}

/**
 * A code that is a heading is explained below it, and may be mentioned in many other places. Of a long page the search shows the three
 * places that have the word most often, so here it counts for one more.
 */
function countTwice(html: string): string {
  const heading = /<h\d id="[a-z0-9_]+"(?=><code[^>]*>[a-z0-9_]+<\/code><\/h\d>)/g
  return html.replaceAll(heading, '$& data-pagefind-index-attrs="id"')
}

export const collections = { docs: defineCollection({ loader: textLoader, schema: docsSchema() }) }
