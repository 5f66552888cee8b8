import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
import { finishFiles } from './src/finish-files.ts'
import { META_WEIGHTS } from './src/keywords.ts'
import { NAVIGATION } from './src/navigation.ts'
import { BASE } from './src/texts.ts'

export default defineConfig({
  base: BASE,
  trailingSlash: 'never',
  prefetch: false,
  image: { service: passthroughImageService() },
  build: { inlineStylesheets: 'never' },
  vite: { build: { assetsInlineLimit: 0 } },
  integrations: [
    starlight({
      title: 'Probity',
      titleDelimiter: '·',
      favicon: '/mark.svg',
      customCss: ['./src/styles.css'],
      markdown: { processedDirs: ['./texts'] },
      routeMiddleware: './src/page-head.ts',
      pagefind: { ranking: { metaWeights: META_WEIGHTS } },
      components: {
        PageTitle: './src/components/page-title.astro',
        SiteTitle: './src/components/site-title.astro',
        SocialIcons: './src/components/social-links.astro',
      },
      expressiveCode: {
        themes: ['github-dark', 'github-light'],
        defaultProps: { frame: 'none' },
        styleOverrides: {
          borderRadius: '0.5rem',
          borderColor: 'var(--color-line)',
          codeBackground: 'var(--color-sunken)',
          frames: { frameBoxShadowCssValue: 'none' },
        },
      },
      sidebar: NAVIGATION.map(({ label, entries }) => ({
        label,
        items: entries.map((entry) => (typeof entry === 'string' ? entry : { label: entry.label, link: entry.link })),
      })),
    }),
    finishFiles(),
  ],
})
