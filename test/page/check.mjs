// Opens the page of made-up daemons in a browser, in two widths, dark and light, and
// fails on: console errors, failed requests, scripts, horizontal scrolling, pages over
// 200 KB, everything that axe finds by the rules of WCAG 2.2 AA, links of the page that
// do not work, and keyboard focus that cannot be seen.
//
//   node check.mjs --server=PROGRAM [--scene=NAME] [--pictures=DIRECTORY] [--document=FILE]
//
// --pictures writes screenshots of all views, --document the one of the documentation.

import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {parseArgs} from 'node:util';
import {chromium} from 'playwright-core';

const text = {type: 'string'};
const flags = parseArgs({options: {server: text, scene: text, pictures: text, document: text}}).values;
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// Pages by name. A long page is drawn in all ranges.
const pages = {
  'looking': 'looking/', 'catching-up': 'catching-up/', 'empty': 'empty/', 'first-week': 'first-week/', 'ordinary': 'ordinary/', 'team': 'team/?user=bob', 'people': 'team/', 'sources': 'team/sources',
  'day': 'ordinary/?from=2026-11-10&to=2026-11-10', 'month': 'ordinary/?range=month&reload=off', 'tokens': 'ordinary/?range=7d&show=tokens', 'filtered': 'ordinary/?range=90d&project=storefront&model=claude-opus-4-6',
  'unknown': 'ordinary/?project=%3Cb%3Enothing', 'heavy': 'heavy/', 'heavy-today': 'heavy/?range=today', 'heavy-90d': 'heavy/?range=90d',
  'open': 'heavy/?range=1y&open=calendar+heat+limits+tools', 'sessions': 'heavy/sessions?range=7d', 'team-sessions': 'team/sessions?range=today&sort=cost',
  'projects': 'heavy/projects?range=90d', 'models': 'ordinary/models', 'all': 'heavy/?range=all', 'session': 'heavy/SESSION', 'hostile-session': 'hostile/SESSION', 'heavy-1y': 'heavy/?range=1y', 'hostile': 'hostile/?range=90d', 'problems': 'problems/', 'off': 'off/',
};
const expected = {unknown: 400};
const views = [360, 1440].flatMap(width => ['light', 'dark'].map(theme => ({width, theme})));
const maxSize = 200_000;

// start starts the server and returns its process and URL.
async function start() {
  const server = spawn(flags.server, {stdio: ['pipe', 'pipe', 'inherit']});
  const [line] = await Promise.race([once(server.stdout, 'data'), once(server, 'exit').then(() => Promise.reject(new Error('the server ended')))]);
  return {server, url: String(line).trim()};
}

// withSession returns a URL in which SESSION is the page of the first session that the page
// before it lists.
async function withSession(url) {
  const [page, ...rest] = url.split('SESSION');
  if (rest.length === 0) return url;
  const text = await (await fetch(page)).text();
  return page + text.match(/session\/[^"]+/)[0];
}

// size returns the number of bytes of a page.
async function size(url) {
  const response = await fetch(url);
  return (await response.arrayBuffer()).byteLength;
}

// inspect returns the faults of a page in a view.
async function inspect(page) {
  const faults = await page.evaluate(() => {
    const found = [];
    const wide = document.documentElement.scrollWidth - innerWidth;
    if (wide > 0) found.push(`is ${wide} pixels too wide`);
    if (document.querySelector('script, img, iframe, object, embed, [style], link:not([rel=icon][href^="data:"])')) found.push('contains an element that its policy forbids');
    if (document.querySelectorAll('h1').length !== 1) found.push('has no single heading');
    for (const svg of document.querySelectorAll('svg[role=img]')) {
      if (!svg.getAttribute('aria-label') && !svg.querySelector('title')?.textContent) found.push('has a chart without a title');
    }
    return found;
  });
  const result = await page.evaluate(() => window.axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'],
  }));
  for (const {id, help, nodes} of result.violations) {
    faults.push(`axe ${id}: ${help}: ${nodes.slice(0, 3).map(node => `${node.html.slice(0, 120)} ${node.any[0]?.message ?? ''}`).join(' | ')}`);
  }
  return faults;
}

// tab moves the focus through the page and returns the elements that do not show it.
async function tab(page) {
  const faults = [];
  for (let steps = 0; steps < 200; steps++) {
    await page.keyboard.press('Tab');
    const focus = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === document.body) return null;
      const {outlineStyle, outlineWidth} = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      return {name: element.textContent.trim().slice(0, 40), visible: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && box.width > 0 && box.right > 0};
    });
    if (!focus) return steps > 5 ? faults : [`only ${steps} elements can have the focus`];
    if (!focus.visible) faults.push(`the focus of ${focus.name} cannot be seen`);
  }
  return faults;
}

// crawl follows the links of a page to other selections, and to other endpoints.
async function crawl(page, faults) {
  const links = await page.$$eval('a[href]', all => all.map(a => new URL(a.getAttribute('href'), document.baseURI).href));
  const here = new Set(links.filter(link => link.startsWith(new URL('/', page.url()).href) && !link.includes('/api/')));
  for (const link of here) {
    const response = await fetch(link);
    if (!response.ok) faults.push(`the link ${link} has status ${response.status}`);
  }
  return here.size;
}

// isReload reports whether a request was answered with status 204, see check.
const isReload = request => request.isNavigationRequest() && request.failure().errorText === 'net::ERR_ABORTED';

// open opens a new window; what goes wrong in it is added to a list.
async function open(browser, faults) {
  const context = await browser.newContext({timezoneId: 'UTC', locale: 'en-US', deviceScaleFactor: flags.document ? 1.5 : 1});
  const page = await context.newPage();
  page.on('console', message => ['error', 'warning'].includes(message.type()) && faults.push(`console: ${message.text()}`));
  page.on('pageerror', error => faults.push(`failed: ${error}`));
  page.on('dialog', dialog => { faults.push(`a script ran: ${dialog.message()}`); dialog.dismiss(); });
  page.on('requestfailed', request => isReload(request) || faults.push(`${request.url()} failed: ${request.failure().errorText}`));
  page.on('request', request => request.isNavigationRequest() || faults.push(`loads ${request.url()}`));
  return page;
}

// check opens a page in all views and returns its faults.
async function check(browser, url, name) {
  const faults = [];
  const page = await open(browser, faults);
  const response = await page.goto(url);
  if (response.status() !== (expected[name] ?? 200)) faults.push(`has status ${response.status()}`);
  await page.route(url, route => route.fulfill({status: 204})); // a page that reloads itself stays as it is
  const bytes = await size(url);
  if (bytes > maxSize) faults.push(`has ${bytes} bytes`);
  faults.splice(0, faults.length, ...faults.filter(fault => !(expected[name] && fault.includes(`status of ${expected[name]}`))));
  await page.evaluate(axe); // not subject to the policy of the page
  for (const {width, theme} of views) {
    await page.setViewportSize({width, height: 900});
    await page.emulateMedia({colorScheme: theme});
    if (flags.pictures) await page.screenshot({path: join(flags.pictures, `${name}-${width}-${theme}.png`), fullPage: true});
    await page.$$eval('details.numbers', all => all.forEach(one => one.open = true));
    for (const fault of await inspect(page)) faults.push(`${width} pixels, ${theme}: ${fault}`);
    await page.$$eval('details.numbers', all => all.forEach(one => one.open = false));
  }
  let links = 0;
  if (name === 'ordinary') {
    faults.push(...await tab(page));
    links = await crawl(page, faults);
  }
  await page.context().close();
  return {faults: faults.map(fault => `${name}: ${fault}`), bytes, links};
}

// draw writes the picture of the documentation: a light page down to the heat map.
async function draw(browser, url) {
  const page = await open(browser, []);
  await page.setViewportSize({width: 1120, height: 900});
  await page.emulateMedia({colorScheme: 'light'});
  await page.goto(url);
  const {y, height} = await page.locator('[aria-labelledby=heat]').boundingBox();
  const image = await page.screenshot({fullPage: true, clip: {x: 0, y: 0, width: 1120, height: y + height + 16}});
  await writeFile(flags.document, execFileSync('pngquant', ['--speed=1', '--nofs', '--strip', '256', '-'], {input: image}));
}

async function main(url) {
  const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', chromiumSandbox: process.getuid() !== 0});
  if (flags.pictures) await mkdir(flags.pictures, {recursive: true});
  if (flags.document) {
    await draw(browser, `${url}/ordinary/`);
    await browser.close();
    return 0;
  }
  const names = Object.keys(pages).filter(name => !flags.scene || name === flags.scene);
  if (names.length === 0) throw new Error(`no scene is named ${flags.scene}`);
  let found = [], links = 0, largest = 0;
  for (const name of names) {
    const result = await check(browser, await withSession(`${url}/${pages[name]}`), name);
    found = found.concat(result.faults);
    links += result.links;
    largest = Math.max(largest, result.bytes);
  }
  await browser.close();
  for (const fault of found) console.error(fault);
  console.log(`Checked ${names.length} pages in ${views.length} views and ${links} links, the largest page has ${largest} bytes, found ${found.length} faults`);
  return found.length > 0 ? 1 : 0;
}

const {server, url} = await start();
let status = 1;
try {
  status = await main(url);
} finally {
  server.stdin.end();
  await once(server, 'exit');
}
process.exit(status);
