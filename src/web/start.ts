/**
 * What is seen first comes first: on a slow processor the scripts would take from the first paint what it needs. They
 * have been asked for, and stand in a template until this file has come, and the page has been read and painted.
 */
const scripts = document.querySelector<HTMLTemplateElement>('#scripts')
const run = () => scripts && document.body.append(scripts.content)
// A page that nobody looks at paints nothing.
if (document.hidden) run()
else requestAnimationFrame(() => setTimeout(run))
