import { defineRouteMiddleware } from '@astrojs/starlight/route-data'
import { copyAddressOf } from './texts.ts'

/** Adds a link to the Markdown copy of the page for programs. */
export const onRequest = defineRouteMiddleware(({ locals }) => {
  const { id, head } = locals.starlightRoute
  if (id === '404') return
  head.push({ tag: 'link', attrs: { rel: 'alternate', type: 'text/markdown', href: copyAddressOf(id || 'index') } })
})
