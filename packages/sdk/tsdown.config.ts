import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: 'src/probity.ts',
  format: ['esm', 'cjs'],
  platform: 'neutral',
  target: 'es2022', // Node 20 and browsers of 2023
  dts: true,
})
