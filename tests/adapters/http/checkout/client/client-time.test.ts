/**
 * The two clocks of the page's script: the time that is left to pay, also after the device slept,
 * and the way back to the shop.
 */
import { describe, expect, test } from 'bun:test';
import { clocks } from '../../../../../src/adapters/http/checkout/client/clocks.ts';
import { leaving } from '../../../../../src/adapters/http/checkout/client/leaving.ts';
import type { ScriptParts } from '../../../../../src/adapters/http/checkout/client/parts.ts';
import { browserGlobals } from '../../../../support/http/browser-globals.ts';

const browser = browserGlobals();

function partsOf(main: object) {
  const did = { refreshed: 0, announced: [] as string[] };
  const parts: ScriptParts = {
    main: main as HTMLElement,
    announce: (text) => did.announced.push(text),
    async refresh() {
      did.refreshed += 1;
      return true;
    },
    ended: new AbortController().signal,
  };
  return { parts, did };
}

describe('the countdown', () => {
  function counting(left: number) {
    const timer = {
      dataset: { left: String(left), five: 'five', one: 'one' },
      textContent: '',
      classList: { toggle: () => undefined },
    };
    const { parts, did } = partsOf({ querySelector: () => timer, querySelectorAll: () => [] });
    clocks(parts);
    return { timer, did };
  }
  const pass = (seconds: number) => {
    browser.now.date += seconds * 1_000;
    browser.second();
  };

  test('knows the time that a device slept, and asks the server', () => {
    const { timer, did } = counting(3_600);
    expect(timer.textContent).toBe('1:00:00');
    pass(1);
    expect([timer.textContent, did.refreshed]).toEqual(['59:59', 0]);
    pass(3_000);
    expect([timer.textContent, did.refreshed]).toEqual(['09:59', 1]);
    pass(1);
    expect(did.refreshed).toBe(1);
  });

  test('asks the server when the clock was put back, but not while nobody looks', () => {
    const { did } = counting(3_600);
    browser.hidden = true;
    pass(60);
    expect(did.refreshed).toBe(0);
    browser.hidden = false;
    pass(-600);
    expect(did.refreshed).toBe(1);
  });

  test('tells a screen reader of five minutes and of one, and looks how things stand after the end', () => {
    const { did } = counting(301);
    for (const seconds of [1, 1, 238, 1, 1]) pass(seconds);
    expect(did.announced).toEqual(['five', 'one']);
    const asked = did.refreshed;
    for (let second = 0; second < 60; second += 1) pass(1);
    expect(browser.timeouts).toHaveLength(1);
    browser.timeouts[0]?.run();
    expect(did.refreshed).toBe(asked + 1);
  });
});

describe('the way back to the shop', () => {
  /** The page as it is after a load, or after an update. */
  function shown(invoice = 'x') {
    const heard: Record<string, () => void> = {};
    const element = (name: string) => ({
      addEventListener: (_: string, run: () => void) => {
        heard[name] = run;
      },
      focus: () => undefined,
    });
    const button = element('stay');
    const note = {
      hidden: true,
      querySelector: (name: string) => (name === 'b' ? { textContent: '' } : button),
    };
    const link = { ...element('link'), dataset: { after: '5' }, href: 'https://shop.example/thanks' };
    const { parts } = partsOf({
      dataset: { live: `/checkout/${invoice}` },
      querySelector: (name: string) => (name.startsWith('a') ? link : note),
    });
    leaving(parts);
    return { note, press: (name: 'stay' | 'link') => heard[name]?.() };
  }
  const wait = () => {
    browser.now.performance += 6_000;
    browser.second();
  };

  test('is taken by itself once, and who comes back is not sent away', () => {
    expect(shown('once').note.hidden).toBe(false);
    wait();
    expect(browser.led).toEqual(['https://shop.example/thanks']);
    expect(shown('once').note.hidden).toBe(true);
    wait();
    expect(browser.led).toHaveLength(1);
  });

  test.each(['stay', 'link'] as const)('is not taken by itself by who pressed %s, then or later', (name) => {
    shown(name).press(name);
    wait();
    expect(shown(name).note.hidden).toBe(true);
    wait();
    expect(browser.led).toEqual([]);
    expect(shown(`${name} of another invoice`).note.hidden).toBe(false);
  });
});
