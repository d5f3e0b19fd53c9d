// What each kind of page weighs, held to its budget; the table of docs/web.md. scripts/web.sh runs it.
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { Desk, isFilled } from './desk.mjs';

const KB = 1000;
/** Most bytes of a kind of page, as it is and compressed with Brotli. */
const BUDGETS = { list: [150 * KB, 20 * KB], item: [80 * KB, 15 * KB], text: [200 * KB, 50 * KB], home: [40 * KB, 8 * KB], sheet: [40 * KB, 10 * KB], script: [40 * KB, 8 * KB], other: [200 * KB, 20 * KB] };

const desk = await new Desk({ fill: true }).start();
/** The body as it comes over the wire. @param {string} path @param {string} coding */
const bytes = (path, coding) => new Promise((resolve, reject) => {
  get(desk.url + path, { headers: { 'accept-encoding': coding, accept: 'text/html' } }, (answer) => {
    const pieces = [];
    answer.on('data', (piece) => pieces.push(piece));
    answer.on('end', () => resolve(Buffer.concat(pieces)));
  }).on('error', reject);
});
/** The longest page of the first hundred items of a kind. */
const longest = async (kind, rows) => {
  const ids = (await desk.json(`/v1/${kind}/list?limit=100`))[rows].map((row) => row.id);
  const pages = await Promise.all(ids.map(async (id) => {
    const path = `/${kind}/${id.split('/').map(encodeURIComponent).join('/')}`;
    return [path, (await bytes(path, 'identity')).length];
  }));
  return pages.sort((a, b) => b[1] - a[1])[0][0];
};
const home = (await bytes('/', 'identity')).toString();
const asset = (ending) => home.match(new RegExp(`"(/assets/[a-z]+-[0-9a-f]+\\.${ending})"`, 'g')).map((found) => found.slice(1, -1));
const pages = [
  ['home', '/', 'the first page'],
  ['list', '/models', '100 models'], ['list', '/tools', '100 tools'], ['list', '/skills', '100 skills'], ['list', '/tutorials', '100 tutorials'], ['list', '/mcp-servers', '100 MCP servers'],
  ['list', '/documents', '100 documents'], ['list', '/frameworks', '25 frameworks'],
  ['item', '/models/claude-sonnet-4-5', 'a model with many sellers'],
  ['item', await longest('tools', 'tools'), 'the longest of 100 tools'],
  ['item', await longest('mcp-servers', 'mcp_servers'), 'the longest of 100 MCP servers'],
  ['item', '/frameworks/premortem', 'a framework'],
  ['text', await longest('skills', 'skills'), 'the longest of 100 skills'],
  ...(isFilled ? [['text', await longest('documents', 'documents'), 'the longest of 100 documents']] : []),
  ['text', await longest('tutorials', 'tutorials'), 'the longest of 100 tutorials'],
  ['other', '/search?q=claude+sonnet', 'search'], ['other', '/compare?ids=claude-sonnet-4-5,gpt-4o', 'two models compared'], ['other', '/conflicts', '100 conflicts'],
  ['other', '/sources', 'sources'], ['other', '/connect', 'connect'], ['other', '/docs', 'API'],
  ['sheet', asset('css')[0], 'the sheet'], ...asset('js').map((path) => ['script', path, 'a script']),
];
const rows = [];
let broken = 0;
for (const [kind, path, what] of pages) {
  const [whole, compressed] = [(await bytes(path, 'identity')).length, (await bytes(path, 'br')).length];
  const [most, mostCompressed] = BUDGETS[kind];
  if (whole > most || compressed > mostCompressed) {
    console.error(`${path}: ${whole} bytes, ${compressed} compressed, over ${most} and ${mostCompressed}`);
    broken += 1;
  }
  const kb = (number) => (number / KB).toFixed(1);
  rows.push(`| ${what} | ${kb(whole)} | ${kb(compressed)} | ${most / KB} / ${mostCompressed / KB} |`);
}
await desk.stop();
const table = ['| page | KB | KB with Brotli | most |', '|---|---:|---:|---:|', ...rows].join('\n');
console.log(table);
const document = process.env.WEB_WRITE;
if (document) {
  const text = readFileSync(document, 'utf8');
  const [begin, end] = ['<!-- weights -->\n', '<!-- end of weights -->'];
  const [before, rest] = text.split(begin);
  const of = isFilled ? 'On the replayed upstreams:' : 'On the starter catalog:';
  writeFileSync(document, `${before}${begin}${of}\n\n${table}\n${end}${rest.split(end)[1]}`);
}
process.exit(broken ? 1 : 0);
