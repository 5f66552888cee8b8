import { defineCollection } from 'astro:content'
import { pathToFileURL } from 'node:url'
import { docsSchema } from '@astrojs/starlight/schema'
import type { Loader } from 'astro/loaders'
import { MISSING, readTexts } from './texts.ts'

/** Loads the pages of the repository: plain Markdown with the title in the first line. */
const textLoader: Loader = {
  name: 'texts',
  async load({ store, parseData, renderMarkdown, generateDigest }) {
    store.clear()
    for (const { id, title, label, description, page } of [...readTexts(), MISSING]) {
      const data = await parseData({ id, data: { title, description, sidebar: { label } } })
      // Starlight adds heading links in the folders of `processedDirs`; this path is in one of them.
      const rendered = await renderMarkdown(page, { fileURL: pathToFileURL(`texts/${id}.md`) })
      const html = countTwice(rendered.html)
      store.set({ id, data, body: page, digest: generateDigest(html), rendered: { ...rendered, html } })
    }
  },
}

/**
 * A problem code is explained below the heading with its name and mentioned in other sections. The search shows the three sections of a
 * page that contain the word most often, so the id of the heading is indexed as well.
 */
function countTwice(html: string): string {
  const heading = /<h\d id="[a-z0-9_]+"(?=><code[^>]*>[a-z0-9_]+<\/code><\/h\d>)/g
  return html.replaceAll(heading, '$& data-pagefind-index-attrs="id"')
}

export const collections = { docs: defineCollection({ loader: textLoader, schema: docsSchema() }) }
