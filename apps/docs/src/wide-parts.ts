const FRAMES = '.wide, .expressive-code pre'

/**
 * What is wider than the page can be moved sideways by keyboard too. Expressive Code would see to its own parts, a moment later, and make
 * a landmark of each: on a page with twenty of them that is no help.
 */
const watch = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const frame = target.closest(FRAMES)
    if (!frame) continue
    if (frame.scrollWidth > frame.clientWidth) frame.setAttribute('tabindex', '0')
    else frame.removeAttribute('tabindex')
  }
})

// What is in the frame as well: it may grow while the frame does not, as letters do when their typeface arrives.
for (const frame of document.querySelectorAll(FRAMES)) {
  watch.observe(frame)
  if (frame.firstElementChild) watch.observe(frame.firstElementChild)
}
