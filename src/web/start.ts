/**
 * What is seen first comes first: on a slow line the scripts would take from the first picture what it needs to be
 * there at once. They wait in a template until it has come, but not for ever.
 */
const longestWaitMs = 1000

const scripts = document.querySelector<HTMLTemplateElement>('#scripts')
const picture = [...document.querySelectorAll<HTMLImageElement>('img[fetchpriority=high]')].find(
  (each) => each.offsetParent,
)
// Once they are in the page, the template is empty.
const load = () => scripts && document.body.append(scripts.content)

if (!picture || picture.complete) load()
else {
  for (const event of ['load', 'error']) picture.addEventListener(event, load)
  setTimeout(load, longestWaitMs)
}
