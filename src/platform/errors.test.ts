import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFault } from './errors.ts'

test('a fault is described by its innermost cause and its place, and not by the messages around the cause', () => {
  const refused = ['::1', '127.0.0.1'].map((host) => new Error(`connect ECONNREFUSED ${host}:5432`))
  const fault = new Error('Failed query: select 1\nparams: secret', { cause: new AggregateError(refused) })
  const [reason, ...places] = describeFault(fault).split('\n')
  assert.equal(reason, 'Error: connect ECONNREFUSED ::1:5432')
  assert.ok(places.length > 0 && places.every((place) => place.startsWith('    at ')), places.join('\n'))
  assert.equal(describeFault('stopped'), 'stopped')
})
