import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectionsWithin } from './open-files.ts'

test('the connection limit reserves file descriptors for other uses and stays between 20 and 2000', () => {
  const table: [number, number][] = [
    [Infinity, 2000],
    [1_048_576, 2000],
    [2500, 2000],
    [2499, 1999],
    [1024, 819],
    [256, 156],
    [64, 20],
  ]
  for (const [files, connections] of table) assert.equal(connectionsWithin(files), connections, `${files}`)
})
