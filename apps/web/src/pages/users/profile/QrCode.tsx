import { useMemo } from 'react'
import { encode } from 'uqr'

const BORDER = 4

/** Dark on light in both themes: many scanners cannot read inverted codes. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => draw(text), [text])
  return (
    <div className="w-fit overflow-hidden rounded-md border border-line">
      <svg
        viewBox={`0 0 ${size} ${size}`}
        role="img"
        aria-label={label}
        shapeRendering="crispEdges"
        className="size-48"
      >
        <rect width={size} height={size} fill="white" />
        <path d={path} fill="black" />
      </svg>
    </div>
  )
}

function draw(text: string): { size: number; path: string } {
  const { data, size } = encode(text, { ecc: 'M', border: BORDER })
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
  return { size, path: squares.join('') }
}
