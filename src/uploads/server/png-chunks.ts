const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const lengthAndNameBytes = 8
const checksumBytes = 4

/** The chunks that decide how a picture looks, see https://www.w3.org/TR/png-3/#11Chunks */
const needed = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'eXIf', 'IDAT', 'IEND'])

/**
 * Removes the other chunks of a PNG. Each text chunk may unpack to eight megabytes, a file has room for a thousand
 * of them, and all are unpacked together with the picture. Any other file is returned unchanged.
 */
export function withoutUnneededChunks(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!file.subarray(0, signature.length).equals(signature)) return bytes
  const keptChunks: Uint8Array[] = [signature]
  const seen = new Set<string>()
  for (let at = signature.length; at + lengthAndNameBytes <= file.length;) {
    const end = at + lengthAndNameBytes + file.readUInt32BE(at) + checksumBytes
    const name = file.toString('latin1', at + 4, at + lengthAndNameBytes)
    // The pixels may be in many chunks; every other chunk may occur once.
    if (name === 'IDAT' || (needed.has(name) && !seen.has(name))) {
      keptChunks.push(file.subarray(at, end))
      seen.add(name)
    }
    at = end
  }
  return Buffer.concat(keptChunks)
}
