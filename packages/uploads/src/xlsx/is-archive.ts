import { open } from 'node:fs/promises'

const ZIP = Buffer.from('PK\x03\x04', 'latin1')

/** Whether a local file is a ZIP archive, as workbooks are. */
export async function isArchive(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(ZIP.length), 0, ZIP.length, 0)
    return bytesRead === ZIP.length && buffer.equals(ZIP)
  } finally {
    await file.close()
  }
}
