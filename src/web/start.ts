/**
 * What is seen first comes first: on a slow processor the scripts would take from the first paint what it needs. They
 * have been asked for, and stand in a template until this file has come and the page has been read.
 */
const scripts = document.querySelector<HTMLTemplateElement>('#scripts')
if (scripts) document.body.append(scripts.content)
