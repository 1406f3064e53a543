import { renderToString } from 'react-dom/server'
import { matchPath, matchRoutes, StaticRouter } from 'react-router'
import type { RenderRequest, RenderedPage } from '#shop/contract/rendering.ts'
import { statusOf } from './api-problem.ts'
import { api, type InProcessBaseQuery } from './api.ts'
import { App } from './app.tsx'
import { headOf, inScript } from './head.ts'
import { publicPages, unknownAddress, type Page } from './public-pages.ts'
import { pagePatterns } from './paths.ts'
import { loadPage, routes } from './router.tsx'
import { makeStore, type ShopStore } from './store.ts'

/**
 * Renders the page of an address as the browser would show it to a new visitor, with the same components, routes
 * and queries. Undefined for the pages that the browser alone renders.
 */
export async function render({
  url,
  publicUrl,
  callApi,
  yieldToOthers,
}: RenderRequest): Promise<RenderedPage | undefined> {
  const { pathname, searchParams } = new URL(url, publicUrl)
  const page = pageAt(pathname)
  if (!page) return undefined
  await loadPage(pathname)
  const params = matchRoutes(routes, pathname)?.at(-1)?.params ?? {}
  const store = makeStore({ baseQuery: baseQueryBy(callApi) })
  // A page that makes queries is rendered again with their responses, which may lead to further queries.
  for (let round = 0; round < mostRounds; round += 1) {
    await yieldToOthers()
    const html = renderToString(
      <App store={store} router={(rest) => <StaticRouter location={url} {...rest} />} />,
    )
    const runningQueries = store.dispatch(api.util.getRunningQueriesThunk())
    for (const { error } of await Promise.all(runningQueries)) {
      const refusalStatus = Number(statusOf(error))
      if (refusalStatus >= 400) return { status: 'refused', refusalStatus }
      if (error) throw new Error(`A query of the page failed: ${JSON.stringify(error)}`)
    }
    const answers = answersIn(store)
    const facts = page.about({ params, search: searchParams, publicUrl, answers: Object.values(answers) })
    if (facts.movedTo !== undefined) return { status: 302, location: facts.movedTo }
    if (runningQueries.length > 0) continue
    const { hoisted, body } = partsOf(html)
    return {
      status: facts.isMissing ? 404 : 200,
      isPrivate: facts.isPrivate ?? false,
      head: hoisted + headOf(facts, { title: titleIn(hoisted), publicUrl }),
      body,
      dataJson: inScript({ api: { queries: answers, provided: store.getState().api.provided } }),
      file: page.file,
    }
  }
  throw new Error(`The page still makes queries after ${mostRounds} rounds`)
}

const mostRounds = 4

/** An unknown path has a page of its own; undefined for a page that the browser alone renders. */
function pageAt(pathname: string): Page | undefined {
  const isAt = (path: string) => matchPath({ path, caseSensitive: true }, pathname) !== null
  return (
    publicPages.find(({ pattern }) => isAt(pattern)) ?? (pagePatterns.some(isAt) ? undefined : unknownAddress)
  )
}

// RTK Query would refetch a response without a timestamp; any timestamp will do.
const fixedTimestampMs = 1

/** Without the time and id of each query, so that the same page always has the same bytes. */
function answersIn(store: ShopStore) {
  const { queries } = store.getState().api
  return Object.fromEntries(
    Object.entries(queries).map(([key, query]) => {
      const { status, endpointName, originalArgs, data } = query ?? {}
      return [key, { status, endpointName, originalArgs, data, fulfilledTimeStamp: fixedTimestampMs }]
    }),
  )
}

function baseQueryBy(callApi: RenderRequest['callApi']): InProcessBaseQuery {
  return async ({ url, params, validateStatus }) => {
    const query = new URLSearchParams(params as Record<string, string> | undefined).toString()
    const { status, body } = await callApi(query ? `${url}?${query}` : url)
    const response = new Response(null, { status })
    if (validateStatus ? validateStatus(response, body) : response.ok) return { data: body }
    return { error: { status, data: body } }
  }
}

/** React writes what belongs into the head (title and preloads) first, and the page after it. */
function partsOf(html: string): { hoisted: string; body: string } {
  // With this mark, React leaves a part that failed or was not ready to the browser.
  if (html.includes('<!--$!-->')) throw new Error('A part of the page could not be rendered')
  const start = html.indexOf('<div')
  return { hoisted: html.slice(0, start), body: html.slice(start) }
}

function titleIn(hoisted: string): string {
  return /<title>(.*?)<\/title>/s.exec(hoisted)?.[1] ?? 'Haberdash'
}
