import { defineRouteMiddleware } from '@astrojs/starlight/route-data'
import { copyAddressOf } from './texts.ts'

/** Tells programs that read a page where its Markdown is. */
export const onRequest = defineRouteMiddleware(({ locals }) => {
  const { id, head } = locals.starlightRoute
  if (id === '404') return
  head.push({ tag: 'link', attrs: { rel: 'alternate', type: 'text/markdown', href: copyAddressOf(id || 'index') } })
})
