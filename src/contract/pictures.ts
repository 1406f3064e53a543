/** The widths in pixels that the shop makes of each of its own pictures; the page requests no others. */
export const pictureWidths = [160, 320, 480, 640, 800, 960, 1280] as const
/** Scenes fill whole screens. */
export const sceneWidths = [...pictureWidths, 1600] as const
