import sharp from 'sharp'

// Whatever a file claims to be, only these four formats are ever read: no SVG, PDF, GIF, TIFF or camera format
// reaches the libraries that would parse it.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Heif'].map((format) => `VipsForeignLoad${format}`),
})
// One thread per picture, and no cache: the memory and the processor are needed by the shop.
sharp.concurrency(1)
sharp.cache(false)

/** All code imports `sharp` from here, so that these settings are in force. */
export { sharp }
