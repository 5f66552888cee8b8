import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: { probity: 'src/main.ts' },
  platform: 'node',
  target: 'node24',
  dts: false,
  // What is ours is published nowhere else; what is others' is installed beside it, under their own licences.
  deps: { alwaysBundle: [/^@probity\//] },
})
