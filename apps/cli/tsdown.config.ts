import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: { probity: 'src/main.ts' },
  platform: 'node',
  target: 'node20',
  dts: false,
  // Packages of this repository are not published. Other packages are installed as dependencies, with their licenses.
  deps: { alwaysBundle: [/^@probity\//] },
})
