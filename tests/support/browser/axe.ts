/**
 * axe-core on the page as it is shown: what it calls a violation of WCAG 2.2, levels A and AA, or
 * of good practice.
 */
import { readFileSync } from 'node:fs';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice'];

/** Rules whose outcome hangs on sizes, places and colours. */
export const OF_THE_LOOK = ['color-contrast', 'target-size', 'region', 'scrollable-region-focusable'];

/**
 * Each page that axe looks at is sent all of it and reads it, which takes as long as a look: the
 * file is half the size of `axe.source`.
 */
const SOURCE = Bun.resolveSync('axe-core/axe.min.js', import.meta.dir);
let source: string | null = null;

/**
 * One line per violation, of these rules where they are named, with its impact and the elements;
 * minor ones are left out.
 */
export async function violations(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  const runOnly = rules === undefined ? { type: 'tag', values: TAGS } : { type: 'rule', values: rules };
  source ??= readFileSync(SOURCE, 'utf8');
  // the debugger's own evaluation is not under the page's policy, which lets no other script in
  if (await page.evaluate('window.axe === undefined')) await page.evaluate(source);
  const { violations: found } = await page.evaluate<axe.AxeResults>(
    `window.axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ['violations'] })})`,
  );
  return found
    .filter(({ impact }) => impact !== 'minor')
    .map(
      ({ id, impact, help, nodes }) =>
        `${impact} ${id}: ${help} (${nodes.map((node) => `${node.target.join(' ')} ${node.any[0]?.message ?? ''}`).join('; ')})`,
    );
}
