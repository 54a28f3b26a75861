// Opens all dashboards in a browser, in two widths, dark and light, and fails on
// console errors, failed requests, panels with an error or without data, and the faults
// of page/faults.js, such as truncated text.
//
//   node preview.mjs --work=DIRECTORY --prometheus=PROGRAM --now=TIME [--board=NAME] [--theme=light] [--width=1920] [--pictures=DIRECTORY]
//
// The work directory contains the data of Prometheus.
// --pictures writes screenshots, compressed with pngquant: dark and 1440 pixels wide,
// or with --theme and --width.

import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {createServer} from 'node:http';
import {mkdir, readFile, readdir, writeFile} from 'node:fs/promises';
import {basename, extname, join, normalize} from 'node:path';
import {parseArgs} from 'node:util';
import {build} from 'esbuild';
import {chromium} from 'playwright-core';

const text = {type: 'string'};
const flags = parseArgs({options: {work: text, prometheus: text, now: text, board: text, theme: text, width: text, pictures: text}}).values;
const here = import.meta.dirname;
const dashboards = join(here, '../dashboards/');
const boards = flags.board ? [flags.board] : (await readdir(dashboards)).map(file => basename(file, '.json')).sort();
const themes = flags.theme ? [flags.theme] : ['dark', 'light'];
const widths = flags.width ? [Number(flags.width)] : [1440, 1920];

// Faults that are accepted, by their start, such as "daemon: Backlog: no data", with
// the reason.
const longNames = 'Grafana reserves too little room for names of 35 letters and more';
const accepted = {
  'team: Silent daemons: no data': 'the daemon of the simulated team is scraped, and does not send',
  'tools: Duration by tool: truncates': longNames,
  'tools: Result size by tool: truncates': longNames,
};
const isAccepted = fault => Object.keys(accepted).some(start => fault.startsWith(start));

// Files and directories by the start of the URL path.
const inter = weight => join(here, `node_modules/@fontsource/inter/files/inter-latin-${weight}-normal.woff2`);
const routes = {
  '/page/': join(here, 'page/'),
  '/bundle/': join(flags.work, 'bundle/'),
  '/dashboards/faulty.json': join(here, 'page/faulty.json'),
  '/dashboards/': dashboards,
  '/public/build/': join(here, 'node_modules/@grafana/ui/dist/public/'),
  '/public/fonts/inter/Inter-Regular.woff2': inter(400),
  '/public/fonts/inter/Inter-Medium.woff2': inter(500),
};
const types = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.woff2': 'font/woff2', '.svg': 'image/svg+xml'};

// serve starts a server for the pages.
async function serve() {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, 'http://here').pathname);
    const start = Object.keys(routes).find(route => path.startsWith(route));
    try {
      const file = await readFile(routes[start] + path.slice(start.length));
      response.writeHead(200, {'Content-Type': types[extname(path)]}).end(file);
    } catch {
      response.writeHead(404).end();
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

// freePort returns an unused port.
async function freePort() {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const {port} = server.address();
  await once(server.close(), 'close');
  return port;
}

const servers = [];

// start starts a server, waits until it is ready, and returns its URL.
async function start(program, ready, argumentsAt) {
  const address = `127.0.0.1:${await freePort()}`;
  let output = '';
  const child = spawn(program, argumentsAt(address), {stdio: ['ignore', 'pipe', 'pipe']});
  child.stdout.on('data', text => output += text);
  child.stderr.on('data', text => output += text);
  servers.push(child);
  for (let tries = 0; tries < 300 && child.exitCode === null; tries++) {
    const answer = await fetch(`http://${address}${ready}`).catch(() => null);
    if (answer?.ok) return `http://${address}`;
    await new Promise(done => setTimeout(done, 100));
  }
  throw new Error(`${program} is not ready:\n${output}`);
}

// stop terminates all servers and waits for their exit.
async function stop() {
  for (const server of servers) {
    if (server.exitCode !== null) continue;
    server.kill();
    await once(server, 'exit');
  }
}

// bundle writes the script of the page, with Grafana's packages.
async function bundle() {
  await build({
    entryPoints: [join(here, 'page/main.jsx')], outdir: join(flags.work, 'bundle'), bundle: true, minify: true, format: 'esm', jsx: 'automatic', logLevel: 'warning',
    loader: {'.ttf': 'empty'}, define: {'process.env.NODE_ENV': '"production"'},
  });
}

// open opens a page. Its faults are added to a list.
async function open(browser, url, faults) {
  const context = await browser.newContext({timezoneId: 'UTC', locale: 'en-US'});
  const page = await context.newPage();
  page.on('console', message => ['error', 'warning'].includes(message.type()) && faults.push(`console: ${message.text()}`));
  page.on('pageerror', error => faults.push(`the page failed: ${error}`));
  page.on('requestfailed', request => faults.push(`${request.url()} failed: ${request.failure().errorText}`));
  page.on('response', response => response.ok() || faults.push(`${response.url()} has status ${response.status()}`));
  await page.clock.setFixedTime(flags.now);
  await page.goto(url);
  return page;
}

// Views are all combinations of width and theme; the first is that of the pictures.
const views = widths.flatMap(width => themes.map(theme => ({width, theme})));

// look shows a page in each view, and returns its faults. show returns the faults of a
// page that was drawn. Tables are drawn only where they are visible, so dashboards need
// a high window; picture selects the part that they fill, if it is to be written.
async function look(page, name, {height, picture}, faults, show) {
  const all = [];
  for (const view of views) {
    await page.setViewportSize({width: view.width, height});
    await page.emulateMedia({colorScheme: view.theme});
    faults.push(...await show(view));
    if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) faults.push(`the page is wider than ${view.width} pixels`);
    if (flags.pictures && picture && view === views[0]) {
      const image = await page.locator(picture).screenshot();
      await writeFile(join(flags.pictures, `${name}.png`), execFileSync('pngquant', ['--speed=1', '--nofs', '--strip', '256', '-'], {input: image}));
    }
    all.push(...faults.splice(0).filter(fault => !isAccepted(`${name}: ${fault}`)).map(fault => `${name}, ${view.width} pixels, ${view.theme}: ${fault}`));
  }
  return all;
}

// showBoard draws a dashboard and returns its faults.
const showBoard = (page, name, prometheus) => async ({theme}) => {
  const panels = await page.evaluate(options => window.show(options), {name, prometheus, theme});
  const faults = panels.flatMap(panel => [...panel.result === 'data' ? [] : [panel.result], ...panel.faults].map(fault => `${panel.title}: ${fault}`));
  return panels.length > 0 ? faults : ['there are no panels'];
};

// showFaulty draws a dashboard with one fault in each panel, and returns those that
// were not found.
const showFaulty = (page, prometheus) => async ({theme}) => {
  const panels = await page.evaluate(options => window.show(options), {name: 'faulty', prometheus, theme});
  const isFound = ({title, result, faults}) => [result, ...faults].some(fault => fault.startsWith(title));
  return panels.filter(panel => !isFound(panel)).map(({title, faults}) => `"${title}" was not found, but ${JSON.stringify(faults)}`);
};

async function main() {
  if (flags.pictures) await mkdir(flags.pictures, {recursive: true});
  const pages = await serve();
  const [prometheus] = await Promise.all([
    start(flags.prometheus, '/-/ready', address => [
      `--config.file=${join(here, 'prometheus.yml')}`, `--storage.tsdb.path=${flags.work}/data`, '--storage.tsdb.retention.time=100y', `--web.listen-address=${address}`,
      '--query.lookback-delta=11m', // more than the scrape interval of yesterday
    ]),
    bundle(),
  ]);
  const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', chromiumSandbox: process.getuid() !== 0});
  const faults = [], found = [];
  const drawing = await open(browser, `http://127.0.0.1:${pages.address().port}/page/index.html`, faults);
  for (const board of boards) found.push(...await look(drawing, board, {height: 3000, picture: '#page'}, faults, showBoard(drawing, board, prometheus)));
  found.push(...await look(drawing, 'faulty', {height: 3000}, faults, showFaulty(drawing, prometheus)));
  await browser.close();
  for (const fault of found) console.error(fault);
  console.log(`Drew ${boards.length + 1} pages in ${views.length} views, found ${found.length} faults`);
  return found.length > 0 ? 1 : 0;
}

let status = 1;
try {
  status = await main();
} finally {
  await stop();
}
process.exit(status);
