/**
 * How the page's script keeps the page up to date on a slow line: what was heard last is shown in
 * the end, and nothing older takes the place of something newer.
 */
import { describe, expect, test } from 'bun:test';
import { live } from '../../../../../src/adapters/http/checkout/client/live.ts';
import { refresher } from '../../../../../src/adapters/http/checkout/client/refresh.ts';
import { browserGlobals, settled } from '../../../../support/http/browser-globals.ts';

const browser = browserGlobals();

/**
 * A page whose fetches end when the test says so, with the state that the server had when each
 * began to be rendered.
 */
function slowPage(open = 'true') {
  const main = { dataset: { live: '/checkout/x', state: '1', open, page: '/checkout/x' } };
  const server = { state: '1', reachable: true };
  const waiting: (() => void)[] = [];
  const refresh = () => {
    const { state, reachable } = server;
    return new Promise<boolean>((resolve) => {
      waiting.push(() => {
        if (reachable) main.dataset.state = state;
        resolve(reachable);
      });
    });
  };
  const replaced = live(main as unknown as HTMLElement, refresh);
  return {
    main,
    server,
    replaced,
    tell: (state: string) => browser.streams.at(-1)?.tell(state),
    /** The server's state changes, and the stream tells it. */
    change(state: string) {
      server.state = state;
      this.tell(state);
    },
    async arrive() {
      waiting.shift()?.();
      await settled();
    },
    fetches: () => waiting.length,
  };
}

describe('what is heard', () => {
  test('is shown to the last of three changes within two fetches', async () => {
    const page = slowPage();
    page.change('2');
    page.change('3');
    await page.arrive();
    expect(page.main.dataset.state).toBe('2');
    page.change('4 paid');
    await page.arrive();
    expect(page.main.dataset.state).toBe('3');
    await page.arrive();
    expect([page.main.dataset.state, page.fetches()]).toEqual(['4 paid', 0]);
  });

  test('is asked for again, ever later and not for ever, where the page lags behind', async () => {
    const page = slowPage();
    const pauses: number[] = [];
    page.tell('2');
    for (let turn = 0; turn < 10 && page.fetches() > 0; turn += 1) {
      await page.arrive();
      const pause = browser.timeouts.shift();
      if (pause) pauses.push(pause.delay);
      pause?.run();
      await settled();
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    page.server.state = '2';
    page.tell('2');
    await page.arrive();
    expect(page.main.dataset.state).toBe('2');
  });

  test('while a fetch fails is heard again by asking', async () => {
    const page = slowPage();
    page.server.reachable = false;
    page.change('2');
    browser.hidden = true;
    browser.dispatch('visibilitychange');
    browser.hidden = false;
    browser.dispatch('visibilitychange');
    page.tell('2');
    await page.arrive();
    expect(browser.streams.map(({ closed }) => closed)).toEqual([true, true]);
    expect(browser.timeouts.map(({ delay }) => delay)).toEqual([5_000]);
  });
});

describe('a page that has ended', () => {
  test('is watched no more, and again when it turns out that it has not', () => {
    const page = slowPage();
    page.main.dataset.open = 'false';
    page.replaced();
    expect(browser.streams.map(({ closed }) => closed)).toEqual([true]);
    page.replaced();
    page.main.dataset.open = 'true';
    page.replaced();
    page.replaced();
    expect(browser.streams.map(({ closed }) => closed)).toEqual([true, false]);
  });

  test('is fetched again for everybody who comes back to it', () => {
    const page = slowPage('false');
    browser.hidden = true;
    browser.dispatch('visibilitychange');
    expect(page.fetches()).toBe(0);
    browser.hidden = false;
    browser.dispatch('visibilitychange');
    browser.dispatch('pageshow', { persisted: true });
    expect([page.fetches(), browser.streams.length]).toEqual([2, 0]);
  });
});

describe('a page that is fetched anew', () => {
  const nothing = { querySelector: () => null, querySelectorAll: () => [] };
  /**
   * What fetches are answered with, each when the test says so; the page's parts are the text that
   * stands in it.
   */
  function fetchedPage() {
    const shown: string[] = [];
    const announced: string[] = [];
    const main = {
      ...nothing,
      dataset: { page: '/checkout/x' },
      contains: () => false,
      replaceChildren: (...[text]: string[]) => shown.push(text ?? ''),
      querySelector: (part: string) => {
        const textContent = shown.at(-1)?.split('|')[['.status h2', '.status p', '#seen-late'].indexOf(part)];
        return textContent === undefined ? null : { textContent };
      },
    };
    const answers: ((text: string) => void)[] = [];
    browser.replace({
      document: { ...nothing, activeElement: null },
      scrollTo: () => undefined,
      scrollY: 0,
      fetch: () =>
        new Promise((resolve) =>
          answers.push((text) => resolve({ ok: text !== '', text: async () => text })),
        ),
      DOMParser: class {
        parseFromString = (text: string) => ({
          title: '',
          querySelector: () => ({ ...nothing, childNodes: [text], dataset: {} }),
        });
      },
    });
    const refresh = refresher(
      main as unknown as HTMLElement,
      (text) => announced.push(text),
      () => undefined,
    );
    return { shown, announced, answers, refresh };
  }

  test('does not show an answer that another one has overtaken', async () => {
    const { shown, answers, refresh } = fetchedPage();
    const done = [refresh(), refresh(), refresh(), refresh()];
    answers[1]?.('paid');
    expect(await done[1]).toBe(true);
    answers[0]?.('expired');
    expect(await done[0]).toBe(true);
    answers[2]?.('');
    expect(await done[2]).toBe(false);
    answers[3]?.('refunded');
    expect(await done[3]).toBe(true);
    expect(shown).toEqual(['paid', 'refunded']);
  });

  test('says aloud what changed of where things stand, and that payments are seen late', async () => {
    const { announced, answers, refresh } = fetchedPage();
    const pages = [
      'Waiting|Send it.',
      'Waiting|Send it.',
      'Waiting|Send it.|Do not pay again.',
      'Paid|Thank you.',
    ];
    for (const [turn, page] of pages.entries()) {
      const done = refresh();
      answers[turn]?.(page);
      await done;
    }
    expect(announced).toEqual([
      'Waiting. Send it.',
      'Waiting. Send it. Do not pay again.',
      'Paid. Thank you.',
    ]);
  });
});
