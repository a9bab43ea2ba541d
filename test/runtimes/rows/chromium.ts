import { createRequire } from 'node:module';
import { listen } from '../../support/http-host.js';
import { startSdkServer } from '../../support/sdk-servers.js';
import type { Check } from '../scenario/scenario.js';
import { check, ROW_MS, type Row } from './row.js';

/** What is used of playwright-core, which is installed only here, and so not where types are checked. */
interface Playwright {
  readonly chromium: {
    launch(options: { executablePath: string; args: readonly string[]; timeout: number }): Promise<Browser>;
  };
}

interface Browser {
  version(): string;
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

interface Page {
  on(event: 'pageerror', listener: (error: Error) => void): void;
  setDefaultTimeout(ms: number): void;
  goto(url: string): Promise<unknown>;
  /** An expression; functions would be sent as text, and the compiler's helpers stay behind. */
  evaluate(expression: string): Promise<unknown>;
}

const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
const PAGE = '<!doctype html><title>Scenario</title><script type="module" src="/page.js"></script>';

export const chromiumRow: Row = {
  name: 'Chromium, from another origin',
  run: async (stand, { consumer, chromium }) => {
    const executablePath = await chromium;
    const playwright: Playwright = createRequire(import.meta.url)('playwright-core');
    const code = await consumer.bundle('page.js', []);
    const site = await listen((request, response) => {
      const [type, body] = request.url === '/page.js' ? ['text/javascript', code] : ['text/html', PAGE];
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
    });
    const closed = await startSdkServer({ mode: 'dual' });
    try {
      const browser = await playwright.chromium.launch({ executablePath, args: ARGS, timeout: ROW_MS });
      try {
        const page = await browser.newPage();
        const errors: string[] = [];
        page.on('pageerror', (error) => errors.push(error.message));
        page.setDefaultTimeout(ROW_MS);
        await page.goto(site.origin);
        const checks = (await within(page.evaluate(`runScenario(${JSON.stringify(stand)})`))) as readonly Check[];
        const refused = await page.evaluate(`fetch(${JSON.stringify(closed.url)}).then(() => false, () => true)`);
        return {
          version: browser.version(),
          checks: [
            ...checks,
            check('a server that lets no other origin in is out of reach', refused === true, 'It answered'),
            check('the page has no error', errors.length === 0, errors.join('\n')),
          ],
        };
      } finally {
        await browser.close();
      }
    } finally {
      await Promise.all([site.close(), closed.close()]);
    }
  },
};

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The page was not done after ${ROW_MS} ms`)), ROW_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
