// A program of its own, started by `makePicture` with an IPC channel to the shop. It decodes and encodes pictures,
// and ends when the shop closes the channel or is gone.
import type { PictureMade, PictureWork } from './picture-work.ts'
import { doPictureWork } from './picture-work.ts'

export type Asked = { id: number; work: PictureWork }
export type Answered = { id: number; made: PictureMade } | { id: number; failure: string }

process.on('message', ({ id, work }: Asked) => {
  const answer = (answered: Answered) => process.send?.(answered)
  doPictureWork(work).then(
    (made) => answer({ id, made }),
    (error: unknown) => answer({ id, failure: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
