/**
 * What customers do on the checkout's page and see there, by the hooks that its markup promises.
 */
import { expect } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import type { StageName } from '../../../src/adapters/http/checkout/status-view.ts';

/** Of `main[data-status]`. */
export type Shown = StageName;
type FieldName = 'amount' | 'address' | 'tag' | 'xaddress';

/** Waits until the page shows this; it must come by itself. */
export async function sees(page: Page, status: Shown): Promise<void> {
  await page.locator(`main[data-status="${status}"]`).waitFor();
}

export function currency(page: Page, asset: string): Locator {
  return page.locator(`form[action$="/currency"] button[name="asset"][value="${asset}"]`);
}

/** Chooses, or changes the choice where the list is folded. */
export async function choose(page: Page, asset: string): Promise<void> {
  const button = currency(page, asset);
  const folded = page.locator('details:not([open])', { has: button });
  if ((await folded.count()) > 0) await folded.locator('summary').click();
  await button.click();
  await sees(page, 'waiting');
}

/** The exact text that the field's button copies. */
export async function copied(page: Page, field: FieldName): Promise<string> {
  const button = page.locator(`[data-field="${field}"] [data-copy], [data-field="${field}"][data-copy]`);
  return (await button.first().getAttribute('data-copy')) ?? '';
}

export async function simulate(page: Page, outcome: 'paid' | 'partial' | 'over'): Promise<void> {
  await page.locator(`form[action$="/simulate"] button[name="simulate"][value="${outcome}"]`).click();
}

/** From here on `stayed` tells whether this document is still the one that is shown. */
export async function remember(page: Page): Promise<{ stayed(): Promise<boolean> }> {
  await page.evaluate('window.remembered = true');
  return { stayed: () => page.evaluate<boolean>('window.remembered === true') };
}

/** The element with the focus, as text for people, and whether it shows that it has it. */
export interface Focus {
  readonly name: string;
  readonly marked: boolean;
}

export function focus(page: Page): Promise<Focus> {
  return page.evaluate<Focus>(`(() => {
    const element = document.activeElement;
    const style = getComputedStyle(element);
    const name = element.tagName.toLowerCase() + (element.id ? '#' + element.id : '')
      + (element.value ? '=' + element.value : '') + (element.getAttribute('href') ? '@' + element.getAttribute('href') : '');
    const outlined = style.outlineStyle !== 'none' && Number.parseInt(style.outlineWidth) >= 1;
    return { name, marked: element !== document.body && (outlined || style.boxShadow !== 'none') };
  })()`);
}

/**
 * Presses Tab until `wanted` has the focus; everything on the way must show its focus. Fails after
 * 80 stops.
 */
export async function tabTo(page: Page, wanted: Locator): Promise<void> {
  for (let stop = 0; stop < 80; stop += 1) {
    await page.keyboard.press('Tab');
    const { name, marked } = await focus(page);
    if (name !== 'body') expect({ name, marked }).toEqual({ name, marked: true });
    if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return;
  }
  throw new Error('Tab does not lead there');
}

/**
 * What sticks out of the window at a side, cut off or not: one line for each innermost element.
 * What a box scrolls does not stick out.
 */
export function sticksOut(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`(() => {
    const width = document.documentElement.clientWidth;
    const scrolled = (element) => {
      for (let box = element.parentElement; box !== document.body && box !== null; box = box.parentElement)
        if (['auto', 'scroll'].includes(getComputedStyle(box).overflowX)) return true;
      return false;
    };
    const out = [...document.querySelectorAll('body *')].filter((element) => {
      const { left, right, width: own } = element.getBoundingClientRect();
      return own > 1 && (right > width + 1 || left < -1) && element.checkVisibility() && !scrolled(element);
    });
    return out
      .filter((element) => !out.some((other) => other !== element && element.contains(other)))
      .map((element) => element.tagName + ' ' + element.className + ' "' + element.textContent.slice(0, 40) + '"');
  })()`);
}

/** Texts that are wider or, where the rest is hidden, higher than their box: one line for each. */
export function cutOff(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`(() => {
    const ownText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    const cut = [...document.querySelectorAll('body *')].filter((element) => {
      if (!ownText(element) || element.closest('.unseen, svg') || !element.checkVisibility()) return false;
      const { display, overflowX, overflowY } = getComputedStyle(element);
      if (display === 'inline' || overflowX === 'auto' || overflowX === 'scroll') return false;
      const hidesLines = overflowY !== 'visible' && element.scrollHeight > element.clientHeight + 1;
      return hidesLines || element.scrollWidth > element.clientWidth + 1;
    });
    return cut.map((element) => 'cut off: ' + element.tagName + ' ' + element.className + ' "' + element.textContent.slice(0, 40) + '"');
  })()`);
}
