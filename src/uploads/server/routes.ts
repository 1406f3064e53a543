import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pictureWidths, sceneWidths } from '#shop/contract/pictures.ts'
import { notFound } from '#shop/platform/errors.ts'
import { isMatch } from '#shop/platform/http/cached-answers.ts'
import type { Limiter } from '#shop/platform/http/limits.ts'
import { requireViewer, route } from '#shop/platform/route.ts'
import * as contract from '#shop/uploads/contract.ts'
import { maxPictureBytes } from '#shop/uploads/picture-limits.ts'
import { bytesOfDataUrl } from './data-url.ts'
import { storePicture } from './pictures.ts'
import { createPicturesOnTheirWay } from './pictures-on-their-way.ts'
import { createRecentBytes } from './recent-bytes.ts'
import { openScenes } from './scenes.ts'
import type { Storage } from './storage.ts'
import { findMaster, findVariant, nameOf, uploadedMaster, type Master, type Variant } from './variants.ts'

const megabyte = 1024 * 1024
/** Base64 makes four characters of three bytes; the rest is for the JSON around them. */
const uploadBodyLimit = Math.ceil(maxPictureBytes / 3) * 4 + 1024

export function uploadRoutes(
  app: FastifyInstance,
  { storage, limiter }: { storage: Storage; limiter: Limiter },
): void {
  route(
    app,
    contract.uploadImage,
    async ({ body }, request) => {
      const account = requireViewer(request).id
      // The address is counted as well, since somebody may register many accounts.
      const senders = [account, request.ip]
      limiter.check('uploads', account)
      for (const sender of senders) limiter.check('uploadedBytes', sender)
      const bytes = bytesOfDataUrl(body.image)
      limiter.count('uploads', account)
      for (const sender of senders) limiter.count('uploadedBytes', sender, bytes.length)
      return storePicture(storage, bytes, (size) => {
        // A file of repeated noise may be small, and the WebP that is stored thirty times as large.
        const more = Math.max(0, size - bytes.length)
        for (const sender of senders) limiter.count('uploadedBytes', sender, more)
      })
    },
    { bodyLimit: uploadBodyLimit },
  )
}

/** What a requested file name means: the picture as it is stored, or a variant of one width. */
type RequestedPicture = { picture: string; variant: Variant | undefined }
type Serving = {
  storage: Storage
  recent: ReturnType<typeof createRecentBytes>
  onTheirWay: ReturnType<typeof createPicturesOnTheirWay>
}

/** Serves the pictures. No other route does, and only names of these patterns lead to a file. */
export function pictureRoutes(
  app: FastifyInstance,
  { storage, scenesFolder }: { storage: Storage; scenesFolder: string },
): void {
  const serving = {
    storage,
    recent: createRecentBytes(24 * megabyte),
    onTheirWay: createPicturesOnTheirWay(128 * megabyte),
  }
  const scenes = openScenes(scenesFolder)
  const options = { config: { access: 'file' }, schema: { hide: true } } as const

  app.get<{ Params: { file: string } }>('/uploads/:file', options, async (request, reply) => {
    const variant = variantOf(request.params.file, /^[0-9a-f]{40}$/, pictureWidths)
    const cacheControl = 'public, max-age=31536000, immutable'
    return sendPicture(serving, uploadedMaster(storage, variant.picture), variant, {
      request,
      reply,
      cacheControl,
    })
  })

  app.get<{ Params: { file: string } }>('/pictures/:file', options, async (request, reply) => {
    const variant = variantOf(request.params.file, /^[a-z0-9-]{1,80}$/, sceneWidths)
    const master = await scenes.find(variant.picture)
    if (!master) throw notFound()
    const cacheControl = 'public, max-age=86400'
    return sendPicture(serving, master, variant, { request, reply, cacheControl })
  })
}

function variantOf(file: string, pictures: RegExp, widths: readonly number[]): RequestedPicture {
  const [, stem = '', format] = /^(.+)\.(avif|webp)$/.exec(file) ?? []
  const [, picture = '', width] = /^(.+)-([1-9]\d{2,3})$/.exec(stem) ?? []
  if (widths.includes(Number(width)) && pictures.test(picture)) {
    return { picture, variant: { width: Number(width), format: format === 'avif' ? 'avif' : 'webp' } }
  }
  if (format !== 'webp' || !pictures.test(stem)) throw notFound()
  return { picture: stem, variant: undefined }
}

async function sendPicture(
  serving: Serving,
  master: Master,
  { variant }: RequestedPicture,
  { request, reply, cacheControl }: { request: FastifyRequest; reply: FastifyReply; cacheControl: string },
): Promise<FastifyReply> {
  const name = nameOf(master, variant)
  const { storage, recent, onTheirWay } = serving
  const bytes =
    recent.get(name) ??
    onTheirWay.get(name) ??
    (await (variant ? findVariant(storage, master, variant) : findMaster(storage, master)))
  if (!bytes) throw notFound()
  recent.add(name, bytes)
  const etag = `"${name}"`
  reply.headers({ ...safeHeaders, 'cache-control': cacheControl, etag })
  if (isMatch(request.headers['if-none-match'], etag)) return reply.status(304).send()
  onTheirWay.add(name, bytes, reply.raw)
  return reply.type(`image/${variant?.format ?? 'webp'}`).send(bytes)
}

/** Should a file ever be more than a picture, these headers make the browser do nothing but show it. */
const safeHeaders = {
  'content-disposition': 'inline',
  'content-security-policy': "sandbox; default-src 'none'",
  // Other sites may show pictures of products: in mails, on marketplaces, in link previews.
  'cross-origin-resource-policy': 'cross-origin',
}
