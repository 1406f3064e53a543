import { useState } from 'react'

/** A comment beyond either would take more than its share of the page. */
const mostLetters = 700
const mostLines = 8

/** A comment without repeated empty lines. Of a long one only the beginning is shown, and the rest on request. */
export function CommentText({ text: written, className = '' }: { text: string; className?: string }) {
  const text = written.replace(/\n\s*\n/g, '\n\n')
  const [isOpen, setOpen] = useState(false)
  const isLong = text.length > mostLetters || text.split('\n').length > mostLines
  return (
    <>
      <p
        dir="auto"
        className={`whitespace-pre-line wrap-anywhere ${isLong && !isOpen ? 'line-clamp-8 noscript:line-clamp-none' : ''} ${className}`}
      >
        {text}
      </p>
      {isLong && (
        <button
          type="button"
          aria-expanded={isOpen}
          className="min-h-11 self-start text-small font-medium underline underline-offset-4 noscript:hidden"
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Show less' : 'Show more'}
        </button>
      )}
    </>
  )
}
