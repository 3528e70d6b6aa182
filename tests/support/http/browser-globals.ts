/**
 * As much of a browser as the parts of the checkout's script ask for, where a test says what
 * happens and when.
 */
import { afterEach, beforeEach } from 'bun:test';

type Run = (event?: unknown) => unknown;

export interface Stream {
  tell(data: string): void;
  readonly closed: boolean;
}

export interface BrowserGlobals {
  /** Date.now() and performance.now(), which stands still while a device sleeps. */
  readonly now: { date: number; performance: number };
  hidden: boolean;
  readonly streams: Stream[];
  /** What waits for its time, in order; whoever runs one takes it out. */
  readonly timeouts: { readonly run: Run; readonly delay: number }[];
  readonly led: string[];
  /** All that was started with setInterval. */
  second(): void;
  /** `document` and `window` hear of it. */
  dispatch(name: string, event?: object): void;
  replace(more: Readonly<Record<string, unknown>>): void;
}

const REAL_DATE_NOW = Date.now;

/**
 * Registers the hooks around the tests of the file; what it answers starts anew with each of them.
 */
export function browserGlobals(): BrowserGlobals {
  const world = globalThis as unknown as Record<string, unknown>;
  const before = new Map<string, unknown>();
  const listeners: [name: string, run: Run][] = [];
  const intervals: Run[] = [];
  const stored = new Map<string, string>();
  const listen = (name: string, run: Run): unknown => listeners.push([name, run]);
  const browser: BrowserGlobals = {
    now: { date: 0, performance: 0 },
    hidden: false,
    streams: [],
    timeouts: [],
    led: [],
    second: () => {
      for (const run of intervals) run();
    },
    dispatch: (name, event) => {
      for (const [heard, run] of listeners) if (heard === name) run(event);
    },
    replace(more) {
      for (const [name, value] of Object.entries(more)) {
        if (!before.has(name)) before.set(name, world[name]);
        world[name] = value;
      }
    },
  };

  class FakeStream {
    static readonly CLOSED = 2;
    readonly readyState = 1;
    readonly #own = { tell: (() => undefined) as (message: string) => void, closed: false };
    constructor() {
      browser.streams.push(this.#own);
    }
    addEventListener(name: string, heard: (event: { data: string }) => void): void {
      if (name === 'state') this.#own.tell = (data) => heard({ data });
    }
    close(): void {
      this.#own.closed = true;
    }
  }

  beforeEach(() => {
    for (const list of [listeners, intervals, browser.streams, browser.timeouts, browser.led])
      list.length = 0;
    stored.clear();
    Object.assign(browser, { hidden: false });
    Object.assign(browser.now, { date: REAL_DATE_NOW(), performance: 1_000 });
    Date.now = () => browser.now.date;
    browser.replace({
      document: {
        get hidden() {
          return browser.hidden;
        },
        documentElement: { lang: 'en' },
        addEventListener: listen,
      },
      performance: { now: () => browser.now.performance },
      addEventListener: listen,
      EventSource: FakeStream,
      setTimeout: (run: Run, delay: number) => browser.timeouts.push({ run, delay }),
      clearTimeout: () => undefined,
      setInterval: (run: Run) => intervals.push(run),
      sessionStorage: {
        getItem: (key: string) => stored.get(key) ?? null,
        setItem: (key: string, value: string) => stored.set(key, value),
      },
      location: { assign: (address: string) => browser.led.push(address) },
      matchMedia: () => ({ matches: false }),
    });
  });
  afterEach(() => {
    Date.now = REAL_DATE_NOW;
    Object.assign(world, Object.fromEntries(before));
    before.clear();
  });
  return browser;
}

/** Lets everything go on that waits for nothing but a promise that is kept. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
