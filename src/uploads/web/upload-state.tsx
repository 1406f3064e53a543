import { Button } from '#shop/web/ui/button.tsx'
import type { Upload } from './use-upload.ts'

type UploadStateProps = { upload: Upload | null; refusal: string | undefined; onCancel: () => void }

/** The progress of an upload, or why the picture was not kept. */
export function UploadState({ upload, refusal, onCancel }: UploadStateProps) {
  if (!upload) {
    return (
      <p aria-live="polite" className="text-fine font-medium text-accent empty:hidden">
        {refusal}
      </p>
    )
  }
  const percent = Math.round(upload.progress * 100)
  const text = percent < 100 ? `Uploading, ${percent} %` : 'Preparing the picture…'
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <progress
        aria-label="Upload"
        value={percent}
        max={100}
        className="h-1.5 min-w-32 grow appearance-none overflow-hidden bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
      />
      <span className="text-fine text-muted tabular-nums">{text}</span>
      <Button variant="quiet" className="px-3" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  )
}
