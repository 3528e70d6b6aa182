/**
 * The page's script on a slow line: changes come every second (confirmations of a quick chain, then paid) while the page takes
 * longer than that to be fetched. The last change must be shown, since no other event will follow it.
 */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { live } from '../../src/adapters/http/checkout/client/live.ts';

type Heard = (event: { data: string }) => void;
const streams: { tell: Heard; closed: boolean }[] = [];
const visibility: (() => void)[] = [];

class FakeStream {
  static readonly CLOSED = 2;
  readyState = 1;
  readonly #own = { tell: (() => undefined) as Heard, closed: false };
  constructor() {
    streams.push(this.#own);
  }
  addEventListener(name: string, listener: Heard): void {
    if (name === 'state') this.#own.tell = listener;
  }
  close(): void {
    this.#own.closed = true;
  }
}

const world = globalThis as unknown as Record<string, unknown>;
const replaced = {
  document: world.document,
  EventSource: world.EventSource,
  addEventListener: world.addEventListener,
  fetch: world.fetch,
};
beforeEach(() => {
  streams.length = 0;
  visibility.length = 0;
  Object.assign(world, {
    document: { hidden: false, addEventListener: (_: string, run: () => void) => visibility.push(run) },
    EventSource: FakeStream,
    addEventListener: () => undefined,
  });
});
afterEach(() => {
  Object.assign(world, replaced);
});

/** A page whose fetches end when the test says so, with the state that the server had when each began to be rendered. */
function slowPage() {
  const main = { dataset: { live: '/checkout/x', state: '1', open: 'true', page: '/checkout/x' } };
  let server = '1';
  const waiting: (() => void)[] = [];
  const refresh = () => {
    const rendered = server;
    return new Promise<boolean>((resolve) => {
      waiting.push(() => {
        main.dataset.state = rendered;
        resolve(true);
      });
    });
  };
  live(main as unknown as HTMLElement, refresh);
  return {
    main,
    /** The server's state changes, and the stream tells it. */
    change(state: string) {
      server = state;
      streams.at(-1)?.tell({ data: state });
    },
    async arrive() {
      waiting.shift()?.();
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    },
    pending: () => waiting.length,
  };
}

test('three changes within two fetches: the page ends with the last of them', async () => {
  const page = slowPage();
  page.change('2');
  page.change('3');
  await page.arrive();
  expect(page.main.dataset.state).toBe('2');
  page.change('4 paid');
  await page.arrive();
  // However many fetches it takes.
  for (let turn = 0; turn < 5 && page.pending() > 0; turn += 1) await page.arrive();
  expect(page.main.dataset.state).toBe('4 paid');
});
