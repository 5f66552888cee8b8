/** What the texts call the service: it stands for wherever these pages came from, so that a copied command works. */
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
