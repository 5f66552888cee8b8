/** How a benchmark is run. */
export type BenchMode = {
  /**
   * `--product-only`: measures only the product's own rates and costs, without peers, bare limits and the longer lists, in at most
   * about 40 s on two cores. `pnpm bench compare` repeats such runs.
   */
  isProductOnly: boolean
}

/**
 * The benchmarks that support `--product-only`, each with the arguments that shorten it on a commit from before that
 * option. The others count wrong results and have no rate or cost to compare.
 */
export const OLDER_ARGUMENTS: Record<string, string[]> = {
  single: [],
  list: ['--rows', '30000', '--mixed-rows', '1000'],
  scale: ['--rows', '30000'],
  probe: [],
  overload: ['--seconds', '10'],
  fairness: ['--rows', '20000', '--jobs', '2', '--singles', '40'],
  purge: ['--rows', '300000'],
}

export const PRODUCT_ONLY_NAMES = Object.keys(OLDER_ARGUMENTS)
