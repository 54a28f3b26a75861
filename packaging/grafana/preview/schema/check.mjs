// Checks the dashboards against the types that Grafana publishes, with the compiler of
// TypeScript: unknown options, missing ones, and wrong values are errors.
//
//   node check.mjs --work=DIRECTORY

import {spawnSync} from 'node:child_process';
import {copyFile, mkdir, readFile, readdir, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {parseArgs} from 'node:util';

const {work} = parseArgs({options: {work: {type: 'string'}}}).values;
const here = import.meta.dirname, boards = join(here, '../../dashboards');
const out = join(work, 'schema');

await mkdir(out);
await symlink(join(here, '../node_modules'), join(out, 'node_modules'));
for (const file of ['board.ts', 'board.test.ts', 'tsconfig.json']) await copyFile(join(here, file), join(out, file));
const files = (await readdir(boards)).map(name => name.replace('.json', '.ts'));
for (const file of files) {
  const json = await readFile(join(boards, file.replace('.ts', '.json')), 'utf8');
  // Lines keep their numbers.
  await writeFile(join(out, file), `import type {Board} from './board'; export const board: Board = ${json}`);
}
const compiler = join(here, '../node_modules/typescript/bin/tsc');
const {status, stdout, error} = spawnSync(process.execPath, [compiler, '--pretty', 'false'], {cwd: out, encoding: 'utf8'});
if (error) throw error; // it could not start, or wrote too much
process.stderr.write((stdout ?? '').replace(/^([\w-]+)\.ts\((\d+),\d+\)/gm, '$1.json, line $2').replace(/^(.{300}).+$/gm, '$1...'));
if (status === 0) console.log(`Checked ${files.length} dashboards against the types of Grafana`);
process.exit(status ?? 1); // null if it was killed
