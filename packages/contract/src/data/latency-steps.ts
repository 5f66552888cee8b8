/**
 * Up to how many milliseconds an answer of a mail server took, for counting; the last place is for whatever took longer. Each is twice the
 * one before: that is as exact as a percentile of it can be.
 */
export const LATENCY_STEPS_MS = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600] as const
