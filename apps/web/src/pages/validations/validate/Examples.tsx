type ExamplesProps = { names: readonly string[]; onPick(email: string): void; disabled?: boolean }

/** Addresses for which test mode has a result. */
export function Examples({ names, onPick, disabled = false }: ExamplesProps) {
  return (
    <fieldset className="flex flex-wrap items-center gap-1.5">
      <legend className="sr-only">Examples</legend>
      <span aria-hidden="true" className="me-0.5 text-[0.8125rem] text-faint">
        Try
      </span>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          disabled={disabled}
          onClick={() => onPick(`${name}@example.com`)}
          className="inline-flex min-h-7 items-center rounded-full border border-line bg-surface px-2.5 font-mono text-xs text-soft transition-colors hover:border-edge hover:text-ink disabled:opacity-55 pointer-coarse:min-h-10 pointer-coarse:px-3.5"
        >
          {name}
        </button>
      ))}
    </fieldset>
  )
}
