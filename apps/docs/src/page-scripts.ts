/** The origin in the texts. It is replaced by the origin of this page, so that copied commands work. */
const EXAMPLE = /(http:\/\/)?\blocalhost:3000\b/g

function showOwnAddress(): void {
  const own = (text: string) => text.replace(EXAMPLE, location.origin)
  for (const code of document.querySelectorAll('pre code')) {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { currentNode: node } = walker
      const text = node.nodeValue ?? ''
      if (own(text) !== text) node.nodeValue = own(text)
    }
  }
  for (const button of document.querySelectorAll<HTMLElement>('.copy button[data-code]')) {
    button.dataset['code'] = own(button.dataset['code'] ?? '')
  }
}

showOwnAddress()

const FRAMES = '.wide, .expressive-code pre'

/**
 * Makes wide parts scrollable by keyboard. Expressive Code would do so for its own parts only, later, and make a landmark of each,
 * which does not help on a page with twenty of them.
 */
const watch = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const frame = target.closest(FRAMES)
    if (!frame) continue
    if (frame.scrollWidth > frame.clientWidth) frame.setAttribute('tabindex', '0')
    else frame.removeAttribute('tabindex')
  }
})

// The content is observed too: it can grow while the frame does not, for example when a font is loaded.
for (const frame of document.querySelectorAll(FRAMES)) {
  watch.observe(frame)
  if (frame.firstElementChild) watch.observe(frame.firstElementChild)
}
