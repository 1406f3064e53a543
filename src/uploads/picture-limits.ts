/** In a file without libraries, since the page uses it too, to say at once what the server would refuse. */
export const pictureTypes = ['image/jpeg', 'image/png', 'image/webp', 'image/avif'] as const

/** 8 MiB, not counting what base64 adds when it is sent. */
export const maxPictureBytes = 8 * 1024 * 1024

export const tooManyBytes = 'A picture may be at most 8 MiB.'
export const notOfTheseTypes = 'Only JPEG, PNG, WebP and AVIF pictures can be uploaded.'
export const uploadFailed = 'Failed to upload image, please try again!'
