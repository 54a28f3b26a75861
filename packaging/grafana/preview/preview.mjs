// Opens all dashboards and the landing page of the daemon in a browser, dark and
// light, and fails on console errors, failed requests, panels with an error or without
// data, and truncated text.
//
//   node preview.mjs --work=DIRECTORY --prometheus=PROGRAM --now=TIME [--theme=light] [--pictures=DIRECTORY]
//
// The work directory contains the ccwatchd program and the data of Prometheus.
// --pictures writes screenshots, compressed with pngquant: dark, or with --theme.

import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {createServer} from 'node:http';
import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {extname, join, normalize} from 'node:path';
import {parseArgs} from 'node:util';
import {chromium} from 'playwright-core';

const text = {type: 'string'};
const flags = parseArgs({options: {work: text, prometheus: text, now: text, theme: text, pictures: text}}).values;
const here = import.meta.dirname;
const boards = ['overview', 'projects', 'cache', 'tools', 'daemon'];
const themes = flags.theme ? [flags.theme] : ['dark', 'light'];
const width = 1280;

// Panels that may be empty, such as "daemon: Backlog", with the reason.
const empty = {};

// Directories by the first segment of the URL path.
const directories = {
  page: join(here, 'page'),
  dashboards: join(here, '../dashboards'),
  uplot: join(here, 'node_modules/uplot/dist'),
  inter: join(here, 'node_modules/@fontsource/inter/files'),
};
const types = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.woff2': 'font/woff2'};

// serve starts a server for the pages.
async function serve() {
  const server = createServer(async (request, response) => {
    const [, first, ...rest] = normalize(new URL(request.url, 'http://here').pathname).split('/');
    try {
      const file = await readFile(join(directories[first], ...rest));
      response.writeHead(200, {'Content-Type': types[extname(request.url.split('?')[0])]}).end(file);
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

// open opens a page and returns its faults.
async function open(browser, name, theme, url, check) {
  const context = await browser.newContext({viewport: {width, height: 900}, colorScheme: theme, timezoneId: 'UTC', locale: 'en-US'});
  const page = await context.newPage();
  const faults = [];
  page.on('console', message => ['error', 'warning'].includes(message.type()) && faults.push(`console: ${message.text()}`));
  page.on('pageerror', error => faults.push(`the page failed: ${error}`));
  page.on('requestfailed', request => faults.push(`${request.url()} failed: ${request.failure().errorText}`));
  page.on('response', response => response.ok() || faults.push(`${response.url()} has status ${response.status()}`));
  await page.goto(url);
  faults.push(...await check(page));
  if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) faults.push(`the page is wider than ${width} pixels`);
  if (flags.pictures && theme === themes[0]) {
    const picture = await page.screenshot({fullPage: true});
    await writeFile(join(flags.pictures, `${name}.png`), execFileSync('pngquant', ['--speed=1', '--nofs', '--strip', '256', '-'], {input: picture}));
  }
  await context.close();
  return faults.map(fault => `${name}, ${theme}: ${fault}`);
}

// checkPanels returns the faults of the panels of a dashboard.
const checkPanels = name => async page => {
  const handle = await page.waitForFunction(() => window.panels, null, {timeout: 60_000});
  const panels = await handle.jsonValue();
  const faults = panels.flatMap(({title, result, truncated}) => [
    ...result === 'data' || (result === 'no data' && empty[`${name}: ${title}`]) ? [] : [`"${title}" shows ${result}`],
    ...truncated.map(text => `"${title}" truncates "${text}"`),
  ]);
  return panels.length > 0 ? faults : ['there are no panels'];
};

const checkLanding = async page => await page.locator('h1').count() === 1 ? [] : ['there is no heading'];

async function main() {
  if (flags.pictures) await mkdir(flags.pictures, {recursive: true});
  const pages = await serve();
  const prometheus = await start(flags.prometheus, '/-/ready', address => [
    `--config.file=${join(here, 'prometheus.yml')}`, `--storage.tsdb.path=${flags.work}/data`, '--storage.tsdb.retention.time=100y', `--web.listen-address=${address}`,
  ]);
  const ccwatchd = await start(`${flags.work}/ccwatchd`, '/-/ready', address => ['demo', '--speed=200', `--web.listen-address=${address}`]);
  const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', chromiumSandbox: process.getuid() !== 0});
  const faults = [];
  for (const theme of themes) {
    for (const board of boards) {
      const query = new URLSearchParams({dashboard: board, source: prometheus, theme, from: 'now-9h', now: Date.parse(flags.now)});
      const url = `http://127.0.0.1:${pages.address().port}/page/index.html?${query}`;
      faults.push(...await open(browser, board, theme, url, checkPanels(board)));
    }
    faults.push(...await open(browser, 'landing', theme, `${ccwatchd}/`, checkLanding));
  }
  await browser.close();
  for (const fault of faults) console.error(fault);
  console.log(`Opened ${themes.length * (boards.length + 1)} pages, found ${faults.length} faults`);
  return faults.length > 0 ? 1 : 0;
}

let status = 1;
try {
  status = await main();
} finally {
  await stop();
}
process.exit(status);
