import { Counter, Gauge, type Registry } from 'prom-client'

export type MaintenanceMetrics = {
  ran(step: string, isSuccess: boolean): void
  reconciled(mismatches: number): void
}

/** Counters of maintenance. Steps are a fixed list, so the number of series is fixed, too. */
export function createMaintenanceMetrics(registry: Registry): MaintenanceMetrics {
  const registers = [registry]
  const runs = new Counter({
    name: 'probity_maintenance_runs_total',
    help: 'Runs of maintenance steps, by step and outcome: success or failure.',
    labelNames: ['step', 'outcome'] as const,
    registers,
  })
  const lastSuccess = new Gauge({
    name: 'probity_maintenance_last_success_timestamp_seconds',
    help: 'Time of the last successful run of a maintenance step in this process.',
    labelNames: ['step'] as const,
    registers,
  })
  const reconciliations = new Counter({
    name: 'probity_ledger_reconciliations_total',
    help: 'Ledger reconciliation runs.',
    registers,
  })
  const mismatches = new Counter({
    name: 'probity_ledger_mismatches_total',
    help: 'Ledger mismatches found by reconciliation.',
    registers,
  })
  return {
    ran(step, isSuccess) {
      runs.inc({ step, outcome: isSuccess ? 'success' : 'failure' })
      if (isSuccess) lastSuccess.set({ step }, Date.now() / 1_000)
    },
    reconciled(count) {
      reconciliations.inc()
      mismatches.inc(count)
    },
  }
}
