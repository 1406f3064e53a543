import { z } from 'zod'
import { endpoint } from '#shop/contract/endpoint.ts'
import { uploadFailed } from './picture-limits.ts'

export const uploadImage = endpoint({
  method: 'POST',
  path: '/uploadImage',
  summary: 'Keep a picture and answer its address as the whole body',
  access: 'user',
  lane: 'uploads',
  evenWithoutRoom: true,
  body: z.object({
    image: z
      .string()
      .describe('A base64 data URL of a JPEG, PNG, WebP or AVIF picture, up to 8 MiB and 25 megapixels'),
  }),
  reply: z.string().describe('The address, such as /uploads/….webp'),
  replyType: 'text/plain',
  titles: { invalid: uploadFailed },
})
export type UploadImage = typeof uploadImage
