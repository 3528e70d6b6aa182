/** The pages of the guide, and what a reader copies from them. */
import { PLACES } from '../../../src/adapters/http/guide/frame.ts';

export const GUIDE_PAGES = PLACES.map(({ path }) => path).filter((path) => path !== '/docs/reference');

/** What a reader sees in the blocks of code. */
export function blocksOf(page: string): readonly string[] {
  return [...page.matchAll(/<pre tabindex="0"><code>(.*?)<\/code><\/pre>/gs)].map(([, text = '']) =>
    read(text),
  );
}

function read(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
