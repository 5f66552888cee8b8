import { availableParallelism } from 'node:os'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { playwright } from '@vitest/browser-playwright'
import { defineProject } from 'vitest/config'

// Chromium has services of its own that it would like to reach; none of them is part of a test.
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The pages in Chromium, with responses of the test in place of those of the API. */
export default defineProject({
  plugins: [react(), tailwindcss()],
  test: {
    name: 'web',
    include: ['states/**/*.test.ts'],
    testTimeout: 30_000,
    isolate: false, // loading the modules for each file took as long as twenty states
    maxWorkers: availableParallelism(), // as many as for the unit tests, which run at the same time
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      testerHtmlPath: './states/tester.html',
      viewport: { width: 1280, height: 720 },
      provider: playwright({
        launchOptions: { executablePath: '/usr/bin/chromium-headless-shell', args: QUIET },
        contextOptions: { locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' },
      }),
      instances: [{ browser: 'chromium' }],
    },
  },
})
