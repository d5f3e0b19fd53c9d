// A browser, and what every page has to hold: no violation of its policy, no console message, nothing that axe finds.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// The packages lie where the test script installed them.
const require = createRequire(join(process.env.WEB_TOOLS, 'package.json'));
const { chromium } = require('playwright-core');
const { AxeBuilder } = require('@axe-core/playwright');

export const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });

/** Pages whose status is an error make the browser say so, which is no fault of theirs. */
const OF_STATUS = /Failed to load resource: the server responded with a status of 4\d\d|status of 5\d\d/;

/**
 * Runs `use` with a page of its own. Whatever the page does, it loads nothing of another host and breaks no rule of its policy.
 * @param {string} url the desk @param {(page: import('playwright-core').Page, context: import('playwright-core').BrowserContext) => Promise<void>} use
 * @param {import('playwright-core').BrowserContextOptions} options
 */
export async function withPage(url, use, options = {}) {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const told = [];
  const abroad = [];
  page.on('console', (message) => { if (!OF_STATUS.test(message.text())) told.push(message.text()); });
  page.on('pageerror', (error) => told.push(String(error)));
  page.on('request', (request) => { if (!request.url().startsWith(url) && !request.url().startsWith('data:')) abroad.push(request.url()); });
  if (options.javaScriptEnabled !== false) {
    await page.addInitScript(() => addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`)));
  }
  try {
    await use(page, context);
    assert.deepEqual(told, [], 'console messages');
    assert.deepEqual(abroad, [], 'requests to other hosts');
  } finally {
    await context.close();
  }
}

/** What axe finds on the page, in words. @param {import('playwright-core').Page} page */
export async function findings(page) {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze();
  return violations.map((found) => `${found.id}: ${found.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(' | ')}`);
}

/** How far the page can be scrolled sideways, in pixels. @param {import('playwright-core').Page} page */
export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
