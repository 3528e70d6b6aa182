/**
 * One browser for a test process, and strangers who visit with it: each has a profile of its own.
 * Whatever a page must never do fails the test that it did it in: asking another host, an error or
 * a violated policy in the console, a dialog.
 */
import { afterAll, afterEach, beforeAll, expect } from 'bun:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { startChromium } from './chromium.ts';

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 900 };
/**
 * Elements that never come fail a test by name, and not by its timeout. Three browsers and as many
 * services on two cores that others use as well took over 10 s for a page that comes in 100 ms.
 */
const PATIENCE_MS = 40_000;

export interface Stage {
  /**
   * A stranger's empty page: a phone in light mode that reads English, unless told otherwise. With
   * `asked` the visitor says yes to every question that a page asks, and its text is added there.
   */
  visitor(options?: BrowserContextOptions, also?: { readonly asked?: string[] }): Promise<Page>;
  /**
   * The page of one person who stays for all tests of the file, for what does not hang on who
   * looks: a stranger costs more than the page that is looked at. Phone and light mode again with
   * each call.
   */
  regular(media?: { readonly reducedMotion?: 'reduce' | 'no-preference' }): Promise<Page>;
  /**
   * Origins (`http://127.0.0.1:1234`) that pages of this file may ask: the service's, and the
   * merchant's where one is led there.
   */
  allow(origin: string): void;
  /** What pages of this file have asked so far: `GET /console/sign-in`. */
  readonly asked: ReadonlySet<string>;
  /** What has happened so far that must not; emptied by reading, for tests that are about it. */
  faults(): readonly string[];
}

/** Started by the first file that needs it. It ends with the process (chromium.ts). */
let running: Promise<Browser> | null = null;

/** Registers the hooks around the tests of the describe block it is called in. */
export function stageBrowser(): Stage {
  let browser: Browser;
  const allowed = new Set<string>();
  const contexts: BrowserContext[] = [];
  let regular: Page | null = null;
  let faults: string[] = [];
  const requests = new Set<string>();
  const taken = (): readonly string[] => {
    const found = faults;
    faults = [];
    return found;
  };

  beforeAll(async () => {
    running ??= startChromium();
    browser = await running;
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    await regular?.goto('about:blank');
    expect(taken()).toEqual([]);
  });
  afterAll(() => regular?.context().close());

  async function arrive(options: BrowserContextOptions, asked: string[] | null): Promise<Page> {
    const context = await browser.newContext({
      viewport: PHONE,
      locale: 'en-US',
      timezoneId: 'UTC',
      colorScheme: 'light',
      serviceWorkers: 'block',
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    watch(page, { allowed, asked, requests, fault: (text) => faults.push(text) });
    return page;
  }

  return {
    async visitor(options = {}, { asked } = {}) {
      const page = await arrive(options, asked ?? null);
      contexts.push(page.context());
      return page;
    },
    async regular({ reducedMotion = 'no-preference' } = {}) {
      regular ??= await arrive({}, null);
      await regular.setViewportSize(PHONE);
      await regular.emulateMedia({ colorScheme: 'light', reducedMotion });
      return regular;
    },
    allow: (origin) => allowed.add(origin),
    asked: requests,
    faults: taken,
  };
}

interface Watched {
  readonly allowed: ReadonlySet<string>;
  /** Null: a page that asks anything is at fault. */
  readonly asked: string[] | null;
  readonly requests: Set<string>;
  fault(text: string): void;
}

function watch(page: Page, { allowed, asked, requests, fault }: Watched) {
  page.on('request', (request) => {
    const { origin, protocol, pathname } = new URL(request.url());
    requests.add(`${request.method()} ${pathname}`);
    if (protocol !== 'data:' && !allowed.has(origin)) fault(`asked another host: ${request.url()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') fault(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => fault(`uncaught: ${error.message}`));
  page.on('popup', (popup) => fault(`opened a window: ${popup.url()}`));
  page.on('dialog', (dialog) => {
    if (asked === null) fault(`dialog: ${dialog.message()}`);
    asked?.push(dialog.message());
    (asked === null ? dialog.dismiss() : dialog.accept()).catch((error: unknown) =>
      fault(`a dialog stayed: ${String(error)}`),
    );
  });
}
