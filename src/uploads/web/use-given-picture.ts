import { useEffect, useState } from 'react'

/**
 * A picture pasted or dropped anywhere on the page; answers whether one is being held over it. A file that misses
 * its place would otherwise be opened instead of the page, and a half-filled form be gone.
 */
export function useGivenPicture(take: (file: Blob) => void): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const listening = new AbortController()
    const { signal } = listening
    const paste = (event: ClipboardEvent) => {
      const file = [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith('image/'))
      if (!file) return
      event.preventDefault()
      take(file)
    }
    const over = (event: DragEvent) => {
      // Text that is moved within a form is none of ours.
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(true)
    }
    const drop = (event: DragEvent) => {
      setOver(false)
      const file = event.dataTransfer?.files[0]
      if (!file) return
      event.preventDefault()
      take(file)
    }
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    document.addEventListener('paste', paste, { signal })
    document.addEventListener('dragover', over, { signal })
    document.addEventListener('drop', drop, { signal })
    document.addEventListener('dragleave', leave, { signal })
    return () => listening.abort()
  })
  return isOver
}
