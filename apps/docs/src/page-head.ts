import { defineRouteMiddleware } from '@astrojs/starlight/route-data'
import { KEYWORDS } from './keywords.ts'
import { copyAddressOf } from './texts.ts'

/** Adds a link to the Markdown copy of the page for programs, and its keywords for the search. */
export const onRequest = defineRouteMiddleware(({ locals }) => {
  const { id, head } = locals.starlightRoute
  if (id === '404') return
  head.push({ tag: 'link', attrs: { rel: 'alternate', type: 'text/markdown', href: copyAddressOf(id || 'index') } })
  const content = KEYWORDS[id]
  if (content) head.push({ tag: 'meta', attrs: { 'data-pagefind-meta': 'keywords[content]', content } })
})
