import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: 'src/probity.ts',
  platform: 'neutral',
  target: 'es2022', // Node 20 and the browsers of its time
  dts: true,
})
