/** The logo: an at sign with a check mark inside. */
export function Mark({ className = 'size-7' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" fill="none" className={className} aria-hidden="true">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M23.6 21.4A9.4 9.4 0 1 1 25.4 16v1.6a2.6 2.6 0 0 1-5.2 0"
        stroke="white"
        strokeWidth="2.3"
        strokeLinecap="round"
      />
      <path d="m11.8 16.2 3 3 5.4-6.2" stroke="white" strokeWidth="2.6" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  )
}
