// What people do with the pages, in a real browser. scripts/web.sh runs it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { browser, findings, overflow, withPage } from './browser.mjs';
import { Desk, isFilled, withDesk } from './desk.mjs';

/** The desk that most flows share. @type {Desk} */
let desk;
before(async () => { desk = await new Desk({ fill: true }).start(); });
after(async () => { await desk.stop(); await browser.close(); });

const WITHOUT_SCRIPT = { javaScriptEnabled: false };
/** Ids of the rows of a list, in their order. @param {import('playwright-core').Page} page */
const rows = (page) => page.locator('tbody input[name=ids]').evaluateAll((boxes) => boxes.map((box) => box.value));
/** An id as it stands in a path. @param {string} id */
const inPath = (id) => id.split('/').map(encodeURIComponent).join('/');

test('1 suggestions come while typing, and Enter opens the chosen one', () => withPage(desk.url, async (page) => {
  await page.goto('/');
  await page.locator('input[name=q]').fill('sonet 4.5');
  const suggested = page.locator('.suggestions [role=option]');
  await suggested.filter({ hasText: /Claude Sonnet 4\.5/ }).first().waitFor();
  assert.ok((await suggested.count()) <= 8);
  await page.keyboard.press('ArrowDown');
  const chosen = await page.locator('[aria-selected=true]').textContent();
  assert.match(chosen ?? '', /Claude Sonnet 4\.5/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/models\/claude-sonnet-4-5/);
  assert.match(await page.locator('h1').innerText(), /Claude Sonnet 4\.5/);
}));

test('2 the same without script, by the form', () => withPage(desk.url, async (page) => {
  await page.goto('/');
  await page.getByRole('searchbox').fill('sonet 4.5');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator('.hit a').first().click();
  assert.match(page.url(), /\/models\/claude-sonnet-4-5/);
}, WITHOUT_SCRIPT));

test('3 a table has the rows of the API in their order', () => withPage(desk.url, async (page) => {
  const query = 'vendor=anthropic&price_input__lte=3&sort=price_output';
  await page.goto(`/models?${query}`);
  const { models } = await desk.json(`/v1/models/list?${query}`);
  assert.ok(models.length > 2);
  assert.deepEqual(await rows(page), models.map((model) => model.id));
}, WITHOUT_SCRIPT));

test('4 a facet adds its parameter, and its count is the number of rows', () => withPage(desk.url, async (page) => {
  await page.goto('/models?columns=vendor');
  const facet = page.locator('aside a', { hasText: 'OpenAI' });
  const count = (await facet.locator('.soft').innerText()).replaceAll(',', '');
  await facet.click();
  assert.equal(new URL(page.url()).searchParams.get('vendor'), 'OpenAI');
  const total = (await page.locator('p b').first().innerText()).replaceAll(',', '');
  assert.equal(total, count);
  await page.locator('aside a[aria-current]', { hasText: 'OpenAI' }).click();
  assert.equal(new URL(page.url()).searchParams.get('vendor'), null);
}, WITHOUT_SCRIPT));

test('5 chosen columns stay when the table is sorted and paged', () => withPage(desk.url, async (page) => {
  await page.goto('/models?limit=10');
  await page.locator('summary', { hasText: 'Columns' }).click();
  for (const box of await page.locator('fieldset input').all()) await box.uncheck();
  for (const name of ['Vendor', 'Offers']) await page.getByLabel(name, { exact: true }).and(page.locator('fieldset input')).check();
  await page.getByRole('button', { name: 'Show these' }).click();
  const heads = () => page.locator('thead th').allInnerTexts();
  assert.deepEqual(await heads(), ['Name', 'Offers', 'Vendor']);
  await page.getByRole('link', { name: 'Offers' }).click();
  await page.getByRole('link', { name: 'Next →' }).first().click();
  assert.deepEqual(await heads(), ['Name', 'Offers ↑', 'Vendor']);
  assert.equal((await rows(page)).length, 10);
}, WITHOUT_SCRIPT));

test('6 ticked rows are compared, and what differs is marked in words', () => withPage(desk.url, async (page) => {
  await page.goto('/models?limit=10');
  for (const box of (await page.locator('tbody input[name=ids]').all()).slice(0, 3)) await box.check();
  const ids = (await rows(page)).slice(0, 3);
  await page.getByRole('button', { name: 'Compare selected' }).first().click();
  const heads = await page.locator('thead th').allInnerTexts();
  assert.deepEqual([heads[0], heads.at(-1), heads.length], ['Field', 'Differs', ids.length + 2]);
  ids.forEach((id, at) => assert.ok(heads[at + 1].includes(id), `${id} in ${heads[at + 1]}`));
  const answer = await desk.json(`/v1/models/compare?ids=${ids.map(encodeURIComponent).join(',')}`);
  // As people see them: the day of a moment, and nothing of what is unknown, for which a status has a word.
  const isKnown = (row, value) => value !== null && value.length !== 0 && !(row.path === 'status' && value === 'unknown');
  const seen = (row) => row.values.filter((value) => isKnown(row, value))
    .map((value) => /_(at|on)$/.test(row.path) ? value.slice(0, 10) : JSON.stringify(Array.isArray(value) ? [...value].sort() : value));
  const differing = answer.rows.filter((row) => row.differs && row.path !== 'display_name' && new Set(seen(row)).size > 1).length;
  assert.equal(await page.locator('tbody tr', { hasText: 'differs' }).count(), differing);
  await page.getByRole('link', { name: 'Show only what differs' }).click();
  assert.equal(await page.locator('tbody tr').count(), differing);
}, WITHOUT_SCRIPT));

test('7 an alias shows the item and says how it was found', () => withPage(desk.url, async (page) => {
  const answer = await page.goto('/models/anthropic/claude-sonnet-4.5');
  assert.equal(answer?.status(), 200);
  assert.match(await page.locator('main').innerText(), /Found as “anthropic\/claude-sonnet-4\.5”/);
}, WITHOUT_SCRIPT));

test('8 an unknown id gives suggestions and a filled search box', () => withPage(desk.url, async (page) => {
  const answer = await page.goto('/models/claude-sonet-4-5');
  assert.equal(answer?.status(), 404);
  assert.equal(await page.locator('header input[name=q]').inputValue(), 'claude-sonet-4-5');
  await page.locator('main li a').first().click();
  assert.match(page.url(), /\/models\/claude-sonnet-4-5/);
}));

test('9 a wrong filter keeps what was typed and says which field it is', () => withPage(desk.url, async (page) => {
  const answer = await page.goto('/models?vendor=openai&price_input__lte=cheap');
  assert.equal(answer?.status(), 400);
  const field = page.locator('[name=price_input__lte]');
  assert.equal(await field.inputValue(), 'cheap');
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  assert.match(await page.locator(`#${await field.getAttribute('aria-describedby')}`).innerText(), /price_input__lte/);
  assert.equal(await page.locator('input[name=vendor]').inputValue(), 'openai');
}, WITHOUT_SCRIPT));

test('10 the keyboard alone leads from the first page to the offers and back, and the focus is always seen', () => withPage(desk.url, async (page) => {
  await page.goto('/');
  /** Tabs until the focus is on what has this text, and looks that every stop can be seen. @param {RegExp} wanted */
  const tabTo = async (wanted) => {
    for (let stops = 0; stops < 400; stops += 1) {
      await page.keyboard.press('Tab');
      const focus = await page.evaluate(() => {
        const focused = document.activeElement;
        if (!focused || focused === document.body) return null;
        // A link in a text may go over two lines: its first one counts.
        const box = focused.getClientRects()[0] ?? focused.getBoundingClientRect();
        const middle = document.elementFromPoint(box.x + box.width / 2, Math.min(Math.max(box.y + Math.min(box.height, 20) / 2, 0), innerHeight - 1));
        const style = getComputedStyle(focused);
        return {
          text: `${focused.textContent ?? ''} ${focused.getAttribute('aria-label') ?? ''}`,
          is_seen: box.bottom > 0 && box.top < innerHeight && (middle === null || focused.contains(middle) || middle.contains(focused)),
          is_outlined: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1,
        };
      });
      if (!focus) continue;
      assert.ok(focus.is_seen, `covered: ${focus.text.slice(0, 60)}`);
      assert.ok(focus.is_outlined, `no outline: ${focus.text.slice(0, 60)}`);
      if (wanted.test(focus.text)) return;
    }
    assert.fail(`never reached ${wanted}`);
  };
  await tabTo(/^Skip to the content/);
  await tabTo(/^Search the desk|Search the desk$/);
  await page.keyboard.type('claude sonnet 4.5');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/search/);
  await tabTo(/^Claude Sonnet 4\.5/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/models\/claude-sonnet-4-5/);
  if (await page.locator('[aria-label=Offers]').count()) await tabTo(/Offers$/);
  await page.goBack();
  await page.waitForURL(/\/search/);
  await page.goto('/models');
  // A box or button within a label is as large as that; links in a text are as high as its lines (WCAG 2.5.8).
  const small = await page.locator('a, button, input:not([type=hidden]), select, summary').evaluateAll((targets) => targets
    .map((target) => ({ box: (target.closest('label') ?? target).getBoundingClientRect(), text: target.textContent || target.getAttribute('name'), inText: target.closest('p, .prose') !== null }))
    .filter(({ box, inText }) => !inText && box.width > 0 && box.height < 24)
    .map(({ text, box }) => `${text} ${box.width}×${box.height}`));
  assert.deepEqual(small, [], 'every target is 24 px high; axe also holds the rule of the width with its exceptions');
}));

test('11 the slash goes to the search box, and types itself where shortcuts are off', () => withPage(desk.url, async (page) => {
  await page.goto('/models');
  await page.locator('main').click({ position: { x: 5, y: 5 } });
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'q');
  await page.keyboard.press('/');
  assert.equal(await page.locator('header input[name=q]').inputValue(), '/', 'in a field it is a letter');
  await page.getByLabel('Shortcuts / and ?').uncheck();
  await page.reload();
  await page.locator('main').click({ position: { x: 5, y: 5 } });
  await page.keyboard.press('/');
  assert.notEqual(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'q');
  await page.getByLabel('Shortcuts / and ?').check();
  await page.locator('main').click({ position: { x: 5, y: 5 } });
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.getByRole('dialog').count(), 0);
}));

test('12 the theme is the system’s until one is chosen, and the choice stays', () => withPage(desk.url, async (page) => {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.goto('/');
  const dark = await paper();
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await paper();
  assert.notEqual(light, dark);
  await page.getByLabel('Theme').selectOption('dark');
  assert.equal(await paper(), dark);
  await page.goto('/models');
  assert.equal(await paper(), dark, 'on every page');
  await page.getByLabel('Theme').selectOption('auto');
  assert.equal(await paper(), light);
}, { colorScheme: 'dark' }));

const HOSTILE = `---
kind: document
id: hostile
title: "Start <img src=x onerror=window.hurt=1> \u202eevil"
source_url: https://cards.example/hostile
---
# <script>window.hurt=1</script> Start

<script>window.hurt = 1</script><img src="https://elsewhere.example/x.png" onerror="window.hurt=1"><svg onload="window.hurt=1"></svg>
<iframe srcdoc="<script>parent.hurt=1</script>"></iframe><a href="javascript:window.hurt=1">one</a> [two](javascript:window.hurt=1)
[three](data:text/html,<script>opener.hurt=1</script>) ![four](https://elsewhere.example/y.png)

<form action="https://elsewhere.example/"><button>five</button></form><style>body { display: none }</style>
<div style="position:fixed;inset:0">six</div><meta http-equiv="refresh" content="0;url=https://elsewhere.example/">
`;
const CARDS = 'default_sources = false\n[[sources]]\nid = "mine"\nconnector = "cards"\nurl = "cards"\ninterval = "1h"\n';

test('13 a hostile document does nothing', async () => {
  const options = { config: CARDS, cards: { 'hostile.md': HOSTILE } };
  const own = new Desk(options);
  assert.equal(own.run('sync', 'mine'), 0);
  await own.start();
  try {
    for (const path of ['/documents/hostile', '/documents', '/search?q=hostile']) {
      await withPage(own.url, async (page) => {
        await page.goto(path);
        await page.waitForTimeout(300);
        assert.equal(await page.evaluate(() => window.hurt), undefined, path);
        const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
        assert.deepEqual(links.filter((link) => /^\s*(javascript|data|vbscript):/i.test(link)), [], path);
        const text = await page.locator('body').innerText();
        assert.ok(!text.includes('\u202e') && text.includes('evil'), `${path}: ${text}`);
        assert.equal(await page.locator('main img, main iframe, main [style], article form').count(), 0, path);
        assert.equal(new URL(page.url()).origin, own.url, path);
      });
    }
  } finally {
    await own.stop();
  }
});

test('14 a conflict is shown with both values', { skip: !isFilled && 'the starter catalog has no second source' }, () => withPage(desk.url, async (page) => {
  const { conflicts: [conflict] } = await desk.json('/v1/conflicts?type=MODEL&path=limits.context_tokens&limit=1');
  await page.goto(`/models/${inPath(conflict.id)}`);
  const table = await page.getByRole('region', { name: 'Conflicts' }).first().innerText();
  for (const value of [conflict.value, conflict.others[0].value]) assert.ok(table.includes(value.toLocaleString('en-US')), `${value} in ${table}`);
  await page.goto('/conflicts?type=MODEL&path=limits.context_tokens');
  const first = page.locator('tbody tr').first();
  assert.equal(await first.locator('a').first().getAttribute('href'), `/models/${inPath(conflict.id)}#conflicts`);
  assert.ok((await first.innerText()).includes(conflict.others[0].source_id), await first.innerText());
}, WITHOUT_SCRIPT));

test('15 the badge turns stale when the clock passes stale_after', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const card = `kind: tool\nid: lamp\ndisplay_name: Lamp\nsource_url: https://cards.example/lamp\nchecked_on: ${today}\ncategory: test\ndescription: Gives light.\n`;
  const own = new Desk({ cards: { 'lamp.yaml': card } });
  const offset = join(own.folder, 'offset');
  writeFileSync(offset, '0');
  writeFileSync(join(own.folder, 'refdesk.toml'), `clock_offset_file = "${offset}"\n${CARDS}`);
  assert.equal(own.run('sync', 'mine'), 0);
  await own.start();
  try {
    await withPage(own.url, async (page) => {
      await page.goto('/tools/lamp');
      assert.match(await page.locator('.freshness').innerText(), /^fresh, last checked/);
      writeFileSync(offset, String(400 * 86_400));
      let badge = '';
      for (let tries = 0; tries < 100 && !badge.startsWith('stale'); tries += 1) {
        // The browser keeps the page for a minute, so each try has an address of its own.
        await page.goto(`/tools/lamp?try=${tries}`);
        badge = await page.locator('.freshness').innerText();
        await page.waitForTimeout(200);
      }
      assert.match(badge, /^stale: .*stale since/);
      await page.goto('/tools?sort=name');
      assert.match(await page.locator('tbody tr', { hasText: 'Lamp' }).innerText(), /stale/);
    });
  } finally {
    await own.stop();
  }
});

test('16 a source that fails says so, with its runs and its error', async () => {
  const own = new Desk({ config: 'default_sources = false\n[[sources]]\nid = "broken"\nconnector = "cards"\nurl = "not-here"\ninterval = "1h"\n' });
  assert.notEqual(own.run('sync', 'broken'), 0);
  await own.start();
  try {
    await withPage(own.url, async (page) => {
      await page.goto('/sources');
      const row = page.locator('tbody tr', { hasText: 'broken' });
      assert.match(await row.innerText(), /✗ failed/);
      await row.getByRole('link').click();
      assert.equal(await page.locator('.strip li').count(), 1);
      assert.match(await page.locator('main').innerText(), /Last error/);
      assert.match(await page.locator('.strip').innerText(), /✗/);
    }, WITHOUT_SCRIPT);
  } finally {
    await own.stop();
  }
});

test('17 the store taken away is one page less', async () => {
  const own = new Desk({ config: CARDS, cards: { 'hostile.md': HOSTILE } });
  assert.equal(own.run('sync', 'mine'), 0);
  await own.start();
  try {
    // A file that was only removed can still be read by who has it open.
    for (const file of readdirSync(own.data).filter((name) => name.startsWith('refdesk.sqlite3'))) writeFileSync(join(own.data, file), 'gone');
    await withPage(own.url, async (page) => {
      let status = 200;
      for (let tries = 0; tries < 100 && status === 200; tries += 1) {
        status = (await page.goto(`/documents/hostile?try=${tries}`))?.status() ?? 0;
        await page.waitForTimeout(100);
      }
      assert.equal(status, 500);
      assert.match(await page.locator('h1').innerText(), /Document store unavailable/);
      for (const path of ['/', '/documents', '/search?q=hostile', '/models', '/connect']) {
        assert.equal((await page.goto(path))?.status(), 200, path);
      }
    });
  } finally {
    await own.stop();
  }
});

test('18 a copy button puts the exact text on the clipboard', () => withPage(desk.url, async (page) => {
  for (const [path, selector] of [['/connect', 'pre[data-copy]'], ['/models/claude-sonnet-4-5', 'main code[data-copy]']]) {
    await page.goto(path);
    const text = await page.locator(selector).first().textContent();
    await page.locator(`${selector} + button`).first().click();
    await page.getByText('copied').first().waitFor();
    assert.equal(await page.getByRole('status').textContent(), 'copied', 'who does not see the button is told, too');
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
  }
}, { permissions: ['clipboard-read', 'clipboard-write'] }));

test('19 what the page to connect says is taken by a real client', () => withPage(desk.url, async (page) => {
  await page.goto('/connect');
  const blocks = await page.locator('pre[data-copy]').allTextContents();
  const json = blocks.filter((block) => block.startsWith('{')).map((block) => JSON.parse(block));
  assert.equal(json.length, 13);
  for (const block of json) assert.ok(JSON.stringify(block).includes(desk.url), JSON.stringify(block));
  const line = blocks.find((block) => block.startsWith('claude mcp add'));
  assert.equal(line, `claude mcp add --transport http refdesk ${desk.url}/mcp`);
  const home = mkdtempSync(join(tmpdir(), 'refdesk-claude-'));
  const claude = (args) => spawnSync(process.env.CLAUDE, args, { cwd: home, env: { ...process.env, HOME: home }, encoding: 'utf8', timeout: 60_000 });
  const added = claude(line.split(' ').slice(1));
  assert.equal(added.status, 0, added.stderr);
  const listed = claude(['mcp', 'list']);
  rmSync(home, { recursive: true, force: true });
  assert.match(listed.stdout, new RegExp(`refdesk: ${desk.url}/mcp.*Connected`));
}));

test('20 nothing of a table is cut off in print', () => withPage(desk.url, async (page) => {
  for (const path of ['/models?limit=20', '/models/claude-sonnet-4-5', '/compare?ids=claude-sonnet-4-5,gpt-4o', '/docs']) {
    await page.goto(path);
    // The width of A4 within its margins, at 96 dots an inch.
    await page.setViewportSize({ width: 718, height: 1000 });
    await page.emulateMedia({ media: 'print' });
    const cut = await page.locator('.scroll, pre').evaluateAll((boxes) => boxes.filter((box) => getComputedStyle(box).overflowX !== 'visible').length);
    assert.equal(cut, 0, path);
    assert.ok(await page.locator('main table, main pre').first().isVisible(), `${path}: what the page is about is printed`);
    assert.ok((await overflow(page)) <= 0, `${path}: ${await overflow(page)} px beyond the paper`);
    assert.equal(await page.locator('header.top').isVisible(), false);
    assert.ok((await page.pdf({ format: 'A4' })).length > 10_000);
    await page.emulateMedia({ media: 'screen' });
    await page.setViewportSize({ width: 1280, height: 900 });
  }
}));

test('21 over the limit the page says when to come back', () => withDesk({ settings: { rate_limit_anon: '3' } }, (own) => withPage(own.url, async (page) => {
  let answer = null;
  for (let tries = 0; tries < 5; tries += 1) answer = await page.goto(`/models?limit=${tries + 1}`);
  assert.equal(answer?.status(), 429);
  const seconds = answer?.headers()['retry-after'];
  assert.match(await page.locator('[role=alert]').innerText(), new RegExp(`Come back in ${seconds} seconds`));
})));

test('22 a private desk shows a page that asks for a key, and open pages suggest with their own rights', async () => {
  await withDesk({ settings: { require_key: 'true' } }, (own) => withPage(own.url, async (page) => {
    for (const path of ['/', '/models', '/search?q=claude']) {
      assert.equal((await page.goto(path))?.status(), 401, path);
      assert.match(await page.locator('main').innerText(), /API key/);
    }
  }));
  await withDesk({ settings: { require_key: 'true', web_open: 'true' } }, (own) => withPage(own.url, async (page) => {
    assert.equal((await page.goto('/models'))?.status(), 200);
    await page.locator('header input[name=q]').fill('claude');
    await page.locator('.suggestions [role=option]').first().waitFor();
    assert.equal(await page.getByText('This page as').count(), 0, 'raw links would be refused');
  }));
});

test('23 every address of the sitemap answers', async () => {
  const own = new Desk({ fill: true, settings: { web_index: 'true', base_url: 'https://desk.example' } });
  await own.start();
  const get = (path) => fetch(own.url + path, { headers: { host: 'desk.example', accept: 'text/html' } });
  const located = async (path) => [...(await (await get(path)).text()).matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => url.replaceAll('&amp;', '&'));
  try {
    const files = await located('/sitemap.xml');
    let all = [];
    for (const file of files) {
      assert.ok(file.startsWith('https://desk.example/sitemap-') && file.length < 2048, file);
      const pages = await located(new URL(file).pathname);
      assert.ok(pages.length > 0 && pages.length <= 50_000);
      all = all.concat(pages);
    }
    assert.equal(new Set(all).size, all.length, 'each once');
    const step = Math.max(1, Math.floor(all.length / 500));
    for (const page of all.filter((_, at) => at % step === 0)) {
      assert.ok(page.startsWith('https://desk.example/') && new URL(page).href === page, page);
      const answer = await get(new URL(page).pathname);
      assert.equal(answer.status, 200, page);
      await answer.arrayBuffer();
    }
  } finally {
    await own.stop();
  }
});

test('24 axe finds nothing, nothing overflows, and without script all is there', async () => {
  const { evidence: { key } } = await desk.json('/v1/models/claude-sonnet-4-5');
  const one = async (kind, rows) => `/${kind}/${inPath((await desk.json(`/v1/${kind}/list?limit=1`))[rows]?.[0]?.id ?? '')}`;
  const items = await Promise.all([['tools', 'tools'], ['skills', 'skills'], ['tutorials', 'tutorials'], ['mcp-servers', 'mcp_servers'], ['frameworks', 'frameworks']].map(([kind, rows]) => one(kind, rows)));
  if (isFilled) items.push(await one('documents', 'documents'));
  const paths = [
    '/', '/models?limit=20', '/tools?limit=20', '/mcp-servers?q=github&limit=20', '/models/claude-sonnet-4-5', ...items, '/search?q=claude+sonnet', '/search', '/compare?ids=claude-sonnet-4-5,gpt-4o',
    '/conflicts?limit=20', '/frameworks/route?q=we+launch+in+two+weeks', '/sources', '/sources/starter-catalog', `/evidence/${key}`, '/connect', '/docs', '/models/none-such', '/models?limit=x',
  ];
  const widths = [1280, 320];
  const schemes = /** @type {const} */ (['light', 'dark']);
  for (const colorScheme of schemes) {
    await withPage(desk.url, async (page) => {
      for (const [at, path] of paths.entries()) {
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 });
          await page.goto(path);
          assert.equal(await overflow(page), 0, `${path} ${width}: scrolls sideways`);
          // Axe takes seconds: in the short form it sees each page once, the next page in the next theme and width.
          const turn = schemes.indexOf(colorScheme) * widths.length + widths.indexOf(width);
          if (process.env.WEB_LONG || at % (schemes.length * widths.length) === turn) assert.deepEqual(await findings(page), [], `${path} ${colorScheme} ${width}`);
        }
        assert.equal(await page.locator('h1').count(), 1, path);
      }
    }, { colorScheme });
  }
  await withPage(desk.url, async (page) => {
    for (const path of paths) {
      await page.goto(path);
      // As a reader does who sets the browser to letters of twice the size (WCAG 1.4.4).
      await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
      assert.equal(await overflow(page), 0, `${path}: scrolls sideways with letters of twice the size`);
    }
  }, { viewport: { width: 320, height: 900 } });
  for (const path of paths) {
    await withPage(desk.url, async (page) => {
      await page.goto(path);
      assert.equal(await page.locator('h1').count(), 1, path);
      assert.equal(await page.locator('button.copy').count(), 0, 'no button that does nothing');
    }, WITHOUT_SCRIPT);
  }
});

test('25 in a table the button to copy shows in the row of the pointer or of the focus', () => withPage(desk.url, async (page) => {
  await page.goto('/models?limit=5');
  const buttons = page.locator('tbody button.copy');
  const opacity = (button) => button.evaluate((one) => getComputedStyle(one).opacity);
  await page.mouse.move(0, 0);
  assert.equal(await buttons.count(), 0, 'nobody needs one yet');
  const [pointed, focused] = [page.locator('tbody tr').nth(1), page.locator('tbody tr').nth(2)];
  await pointed.hover();
  const id = await pointed.locator('[data-copy]').textContent();
  assert.equal(await pointed.locator('button.copy').getAttribute('aria-label'), `Copy ${id}`);
  assert.equal(await opacity(pointed.locator('button.copy')), '1');
  await page.mouse.move(0, 0);
  assert.equal(await opacity(pointed.locator('button.copy')), '0');
  await focused.getByRole('link').focus();
  await page.keyboard.press('Tab');
  const reached = focused.locator('button.copy');
  assert.ok(await reached.evaluate((one) => one === document.activeElement));
  assert.equal(await opacity(reached), '1');
  assert.equal(await buttons.count(), 2, 'each row has one');
}));

test('26 the name of a row stays in sight while its columns are scrolled', () => withPage(desk.url, async (page) => {
  await page.goto('/models?limit=5');
  const table = page.getByRole('region', { name: 'Models' });
  const left = async () => (await table.locator('tbody th').first().boundingBox())?.x ?? -1;
  await table.evaluate((region) => { region.scrollLeft = 300; });
  assert.ok(await table.evaluate((region) => region.scrollLeft > 100), 'there is more than the screen shows');
  assert.equal(await left(), (await table.boundingBox())?.x);
}, { ...WITHOUT_SCRIPT, viewport: { width: 360, height: 740 } }));

test('27 Esc closes the suggestions and keeps what was typed, and keys of a keyboard that composes letters choose nothing', () => withPage(desk.url, async (page) => {
  await page.goto('/');
  const box = page.locator('input[name=q]');
  const suggested = page.locator('.suggestions [role=option]');
  await box.fill('sonet 4.5');
  await suggested.first().waitFor();
  const composed = (key) => box.evaluate((input, name) => input.dispatchEvent(new KeyboardEvent('keydown', { key: name, isComposing: true, bubbles: true, cancelable: true })), key);
  assert.equal(await composed('ArrowDown'), true, 'the key is left to the keyboard');
  assert.equal(await page.locator('[aria-selected=true]').count(), 0);
  await page.keyboard.press('Escape');
  assert.equal(await suggested.first().isVisible(), false);
  assert.equal(await box.inputValue(), 'sonet 4.5');
}));

test('28 a long text of a comparison that is opened can be closed again by its name', () => withPage(desk.url, async (page) => {
  await page.goto('/compare?ids=premortem,scrum');
  const long = page.locator('details.long').first();
  await long.locator('summary').click();
  assert.equal(await long.locator('summary').innerText(), 'less');
  assert.deepEqual(await findings(page), []);
}));

test('29 on a narrow screen what other sources state has room in the table of conflicts', { skip: !isFilled && 'the starter catalog has no second source' }, () => withPage(desk.url, async (page) => {
  await page.goto('/conflicts?limit=20');
  const widths = await page.locator('tbody td:last-child').evaluateAll((cells) => cells.map((cell) => cell.clientWidth));
  assert.ok(widths.length === 20 && Math.min(...widths) >= 250, `${widths}`);
}, { ...WITHOUT_SCRIPT, viewport: { width: 360, height: 740 } }));

test('30 on a phone the search box is beside the name, the navigation shows where it is, and facts have room', () => withPage(desk.url, async (page) => {
  const box = async (selector) => (await page.locator(selector).first().boundingBox()) ?? assert.fail(selector);
  await page.goto('/mcp-servers');
  const [name, form] = [await box('.brand'), await box('.find')];
  assert.ok(form.y < name.y + name.height && form.x > name.x + name.width, 'on one line');
  const [before, after] = [await box('nav a[href="/tutorials"]'), await box('nav a[aria-current=page]')];
  assert.ok(before.x >= 0 && after.x + after.width <= 390, 'both are in view');
  await page.goto('/models/claude-sonnet-4-5');
  assert.ok((await box('[aria-label=Limit] td')).width > 90, 'a value has room beside the name of its field');
  const evidence = await page.getByRole('region', { name: 'Evidence' }).evaluate((region) => region.scrollWidth - region.clientWidth);
  assert.equal(evidence, 0, 'a hash is folded');
}, { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true }));

test('31 the router names the framework whose prompt it shows, also where it asks back', () => withPage(desk.url, async (page) => {
  for (const problem of ['plan', 'We launch in two weeks. What could go wrong?']) {
    const query = `q=${encodeURIComponent(problem)}`;
    const { decision, selected } = await desk.json(`/v1/frameworks/route?${query}`);
    await page.goto(`/frameworks/route?${query}`);
    const heading = page.locator('h2, h3').filter({ has: page.locator(`a[href="/frameworks/${selected.id}"]`) });
    assert.match(await heading.innerText(), decision === 'match' ? /^It fits: / : /^The likeliest: /);
  }
}));

test('32 on a phone a row gets its button to copy when it is seen', () => withPage(desk.url, async (page) => {
  await page.goto('/models');
  const buttons = page.locator('tbody button.copy');
  await buttons.first().waitFor();
  const [first, all] = [await buttons.count(), await page.locator('tbody [data-copy]').count()];
  assert.ok(first < all / 2, `${first} of ${all}`);
  await page.locator('tbody tr').last().scrollIntoViewIfNeeded();
  await page.locator('tbody tr').last().locator('button.copy').waitFor();
}, { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true }));

test('33 the heads of a long table stay at the top of the screen, above their columns, and leave with the table', () => withPage(desk.url, async (page) => {
  await page.goto('/models?columns=vendor,context_tokens,price_input,price_output,input_modalities,output_modalities,family,license,released_on,knowledge_cutoff,status,deprecated_on,retires_on,trust_tier');
  const region = page.getByRole('region', { name: 'Models' });
  const frame = () => page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
  const top = async () => Math.abs(Math.round((await page.locator('thead').boundingBox())?.y ?? -1));
  const scrollTo = async (selector, block) => { await page.locator(selector).first().evaluate((one, at) => one.scrollIntoView({ block: at }), block); await frame(); };
  const begin = await top();
  assert.ok(begin > 100, 'it begins below the filters');
  await scrollTo('tbody tr:nth-child(50)', 'center');
  assert.equal(await top(), 0);
  await region.evaluate((one) => { one.scrollLeft = 200; });
  await frame();
  const left = async (selector) => (await page.locator(selector).first().boundingBox())?.x;
  assert.ok(await region.evaluate((one) => one.scrollLeft > 100), 'there is more than the screen shows');
  assert.equal(await left('thead th:nth-child(5)'), await left('tbody tr:nth-child(50) > :nth-child(5)'), 'they are scrolled together');
  assert.equal(await region.evaluate((one) => one.scrollHeight - one.clientHeight), 0, 'the table itself scrolls sideways alone');
  // What gets the focus is not below them.
  await page.locator('tbody tr:nth-child(60) th a').first().focus();
  for (let back = 0; back < 60; back += 1) await page.keyboard.press('Shift+Tab');
  await frame();
  const focused = await page.evaluate(() => document.activeElement?.getBoundingClientRect().top ?? -1);
  assert.ok(focused >= ((await page.locator('thead').boundingBox())?.height ?? 0), `${focused}`);
  await page.evaluate(() => scrollTo(0, 0));
  await frame();
  assert.equal(await top(), begin);
}));

test('34 no table of a hundred rows, and not the page of the API, has more than 2,500 elements', () => withPage(desk.url, async (page) => {
  for (const kind of ['models?sort=-offers', 'models', 'tools', 'skills', 'tutorials', 'mcp-servers', 'documents', 'frameworks', 'conflicts', 'docs']) {
    await page.goto(`/${kind}`);
    const count = await page.locator('*').count();
    assert.ok(count <= 2500, `${kind}: ${count}`);
  }
}));

test('35 what a question leaves out is folded on a phone, with the names of its fields', () => withPage(desk.url, async (page) => {
  await page.goto('/search?q=cheapest+vision+model');
  const told = page.locator('.notice.quiet').first();
  assert.match(await told.locator('p').first().innerText(), /^Understood as: Models; Input modalities image; sorted by /);
  const [summary, rest] = [told.locator('summary'), told.locator('details p')];
  assert.match(await summary.innerText(), /^Also left out: by .*Status/);
  assert.equal(await rest.isVisible(), false);
  await summary.click();
  assert.match(await rest.innerText(), /Status not deprecated or retired/);
}, { ...WITHOUT_SCRIPT, viewport: { width: 390, height: 800 } }));

test('pictures for the README', { skip: !process.env.WEB_PICTURES && 'WEB_PICTURES=docs/images scripts/web.sh … makes them' }, async () => {
  const take = (path, name, colorScheme) => withPage(desk.url, async (page) => {
    await page.goto(path);
    await page.screenshot({ path: join(process.env.WEB_PICTURES, name) });
  }, { colorScheme, viewport: { width: 1100, height: 800 } });
  await take('/models?capability=tool_call&price_input__lte=1&sort=-offers&context_tokens__gte=200k', 'web-list.png', 'light');
  await take('/models/claude-sonnet-4-5', 'web-item.png', 'dark');
});
