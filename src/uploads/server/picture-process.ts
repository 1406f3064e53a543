// A program of its own, started by `makePicture` with an IPC channel to the shop. It decodes and encodes pictures,
// and ends when the shop closes the channel or is gone.
import type { PictureMade, PictureWork } from './picture-work.ts'
import { doPictureWork } from './picture-work.ts'

export type PictureRequest = { id: number; work: PictureWork }
export type PictureAnswer = { id: number; made: PictureMade } | { id: number; failure: string }

process.on('message', ({ id, work }: PictureRequest) => {
  const answer = (answered: PictureAnswer) => process.send?.(answered)
  doPictureWork(work).then(
    (made) => answer({ id, made }),
    (error: unknown) => answer({ id, failure: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
