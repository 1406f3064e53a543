/**
 * What is seen first comes first: on a slow processor the scripts would take from the first paint what it needs. They
 * have been asked for, and stand in a template until this file has come, and the page has been read and painted.
 */
const scripts = document.querySelector<HTMLTemplateElement>('#scripts')
const run = () => scripts && document.body.append(scripts.content)
requestAnimationFrame(() => setTimeout(run))
// A page that nobody looks at paints nothing. Once the scripts run, the template is empty.
setTimeout(run, 500)
