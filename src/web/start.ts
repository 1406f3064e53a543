/**
 * What is seen first comes first: on a slow line the scripts would take from the first picture what it needs. They
 * stand in a template until this file has come, and so ask for their part of the line one round trip later.
 */
const scripts = document.querySelector<HTMLTemplateElement>('#scripts')
if (scripts) document.body.append(scripts.content)
