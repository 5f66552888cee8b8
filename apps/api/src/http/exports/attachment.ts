/** The name of a download (RFC 6266): the uploaded file's, with what it is now behind it. */
export function attachment(filename: string, ending: 'csv' | 'ndjson'): string {
  const base = filename
    .replace(/\.[^.]{1,10}$/, '')
    .replace(/[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]/gu, '') // what some file system or header would take for something else
    .replace(/^[.\s]+/, '')
  const name = `${base || 'list'}-results.${ending}`
  const plain = name.normalize('NFKD').replace(/[^\w.() -]/g, '_')
  return `attachment; filename="${plain}"; filename*=UTF-8''${encode(name)}`
}

/** RFC 8187 allows fewer characters than encodeURIComponent leaves as they are. */
function encode(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`)
}
