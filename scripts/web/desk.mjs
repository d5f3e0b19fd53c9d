// Desks for the flows: each is a process of its own over a folder of its own, and ends with the test.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const binary = process.env.REFDESK;
/** A data directory filled from the replayed upstreams; without one the starter catalog is served. */
const filled = process.env.WEB_DATA ?? '';
export const isFilled = filled !== '';
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('REFDESK')));

export class Desk {
  /**
   * @param {{ settings?: Record<string, string>, config?: string, cards?: Record<string, string>, fill?: boolean }} options
   * `settings` go by environment, `config` is the configuration file, `cards` are files of its folder `cards`.
   */
  constructor({ settings = {}, config = '', cards = {}, fill = false } = {}) {
    this.folder = mkdtempSync(join(tmpdir(), 'refdesk-web-'));
    this.data = join(this.folder, 'data');
    if (fill && isFilled) cpSync(filled, this.data, { recursive: true });
    mkdirSync(join(this.folder, 'cards'));
    for (const [name, text] of Object.entries(cards)) writeFileSync(join(this.folder, 'cards', name), text);
    writeFileSync(join(this.folder, 'refdesk.toml'), config);
    const named = Object.entries(settings).map(([name, value]) => [`REFDESK_${name.toUpperCase()}`, value]);
    this.environment = { ...environment, REFDESK_RATE_LIMIT_ANON: '0', ...Object.fromEntries(named) };
  }

  /** Runs a command to its end and gives its exit code. @param {string[]} args */
  run(...args) {
    const options = { cwd: this.folder, env: this.environment, encoding: 'utf8', timeout: 120_000 };
    return spawnSync(binary, ['--data-dir', this.data, ...args], options).status;
  }

  async start() {
    const args = ['--data-dir', this.data, 'serve', '--offline', '--listen', '127.0.0.1:0'];
    this.process = spawn(binary, args, { cwd: this.folder, env: this.environment, stdio: ['ignore', 'pipe', 'ignore'] });
    this.url = await new Promise((resolve, reject) => {
      let said = '';
      this.process.stdout.on('data', (piece) => {
        said += piece;
        const found = said.match(/listening on (\S+)/);
        if (found) resolve(found[1]);
      });
      this.process.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    });
    for (let tries = 0; tries < 600; tries += 1) {
      if ((await fetch(`${this.url}/readyz`)).ok) return this;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('the server did not get ready');
  }

  /** The JSON of a path of the API. @param {string} path */
  async json(path) {
    return (await fetch(this.url + path)).json();
  }

  async stop() {
    const ended = new Promise((resolve) => this.process.on('exit', resolve));
    this.process.kill('SIGTERM');
    await ended;
    rmSync(this.folder, { recursive: true });
  }
}

/** Runs `use` with a desk that serves, and ends it. @param {ConstructorParameters<typeof Desk>[0]} options @param {(desk: Desk) => Promise<void>} use */
export async function withDesk(options, use) {
  const desk = new Desk(options);
  await desk.start();
  try {
    await use(desk);
  } finally {
    await desk.stop();
  }
}
