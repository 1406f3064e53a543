const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const lengthAndName = 8
const sum = 4

/** What says how a picture looks, see https://www.w3.org/TR/png-3/#11Chunks */
const needed = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'eXIf', 'IDAT', 'IEND'])

/**
 * A PNG without words about it: each may unpack to eight megabytes, a file has room for a thousand of them, and all are
 * unpacked together with the picture. Any other file is answered as it is.
 */
export function withoutWords(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!file.subarray(0, signature.length).equals(signature)) return bytes
  const kept: Uint8Array[] = [signature]
  const seen = new Set<string>()
  for (let at = signature.length; at + lengthAndName <= file.length;) {
    const end = at + lengthAndName + file.readUInt32BE(at) + sum
    const name = file.toString('latin1', at + 4, at + lengthAndName)
    // A picture may be in many pieces; of everything else there is one.
    if (name === 'IDAT' || (needed.has(name) && !seen.has(name))) {
      kept.push(file.subarray(at, end))
      seen.add(name)
    }
    at = end
  }
  return Buffer.concat(kept)
}
