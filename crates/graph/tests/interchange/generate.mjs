// Writes the files of Cytoscape.js that the tests on the host read.
//
//     npm install --prefix FOLDER cytoscape@3.34.4
//     node crates/graph/tests/interchange/generate.mjs FOLDER

import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

const { default: cytoscape } = await import(
  createRequire(join(resolve(process.argv[2]), 'index.js')).resolve('cytoscape')
)

const graph = cytoscape({
  headless: true,
  layout: { name: 'preset' },
  elements: [
    { data: { id: 'a', label: 'TP53', type: 'gene', score: 0.5 }, position: { x: -1.25, y: 2 }, classes: 'hub seen' },
    { data: { id: 'b', name: 'Obesity', tags: ['x', null] }, position: { x: 3, y: 4 }, locked: true },
    { data: { id: 'ab', source: 'a', target: 'b', label: 'associated_with', weight: 2 } },
    { data: { id: 'aa', source: 'a', target: 'a' } },
  ],
})

const write = (name, value) =>
  writeFileSync(new URL(`files/${name}`, import.meta.url), JSON.stringify(value, null, 1) + '\n')

write('cytoscape-document.cyjs', graph.json())
write('cytoscape-elements.cyjs', graph.elements().jsons())
