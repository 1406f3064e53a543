import { Button } from '#shop/web/ui/button.tsx'

/** Above the fields of a form that starts from a draft. */
export function DraftNotice({
  onStartOver,
  className = '',
}: {
  onStartOver: () => void
  className?: string
}) {
  return (
    <div
      className={`flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-l-4 border-accent bg-raised p-4 ${className}`}
    >
      <p role="status">What you typed earlier is still here, but not saved yet.</p>
      <Button variant="outline" onClick={onStartOver}>
        Start over
      </Button>
    </div>
  )
}
