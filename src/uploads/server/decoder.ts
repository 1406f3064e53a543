import sharp from 'sharp'

// Whatever a file claims to be, only these four are ever read: no SVG, PDF, GIF, TIFF or camera format reaches the
// libraries that would parse it.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Heif'].map((format) => `VipsForeignLoad${format}`),
})
// One thread a picture, and nothing remembered: memory and processor belong to the shop.
sharp.concurrency(1)
sharp.cache(false)

/** The only way to `sharp`: with these settings in force. */
export { sharp }
