/** Shows the page as the server renders it now. Focus, search text and open sections stay. */

interface HtmlPolicy {
  createHTML(text: string): string;
}
interface WithTrustedTypes {
  readonly trustedTypes?: { createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy };
}

/** The only policy that makes markup, where a browser has Trusted Types. Its input is this page. */
const rules: HtmlPolicy = { createHTML: (text) => text };
const policy = (globalThis as WithTrustedTypes).trustedTypes?.createPolicy('checkout', rules) ?? rules;

/** Gets the focus when the new content lacks the focused control. */
const STATUS = '#status';

/** A fetch that takes longer is aborted, so that another can be tried. */
const PATIENCE_MS = 30_000;

/**
 * The returned function reports whether the page shows the answer to this call or to a later one.
 * Fetches may overlap, so that one that hangs does not delay the others. An answer that was
 * overtaken is dropped.
 */
export function refresher(
  main: HTMLElement,
  announce: (text: string) => void,
  begin: () => void,
): () => Promise<boolean> {
  let [asked, shown] = [0, 0];
  return async () => {
    asked += 1;
    const turn = asked;
    const fresh = await fetched(main.dataset.page ?? '');
    if (turn < shown) return true;
    const next = fresh?.querySelector<HTMLElement>('main[data-status]');
    if (!fresh || !next) return false;
    shown = turn;
    const before = standing(main);
    show(main, next);
    document.title = fresh.title;
    begin();
    const now = standing(main);
    if (now !== before) announce(now);
    return true;
  };
}

async function fetched(path: string): Promise<Document | null> {
  const patience = new AbortController();
  const timeout = setTimeout(() => patience.abort(), PATIENCE_MS);
  try {
    const answer = await fetch(path, { cache: 'no-store', signal: patience.signal });
    if (!answer.ok) return null;
    return new DOMParser().parseFromString(policy.createHTML(await answer.text()), 'text/html');
  } catch {
    return null;
  } finally {
    clearTimeout(timeout);
  }
}

/** The status as it is announced to screen readers. */
function standing(main: HTMLElement): string {
  const said = (part: string): string => main.querySelector(part)?.textContent ?? '';
  return `${said('.status h2')}. ${said('.status p')} ${said('#seen-late')}`.trim();
}

/**
 * Replaces the content of `main`, and restores focus, search text, open sections and scroll
 * position.
 */
function show(main: HTMLElement, next: HTMLElement): void {
  const focused = main.contains(document.activeElement) ? selectorOf(document.activeElement) : null;
  const unfolded = [...main.querySelectorAll('details[open][id]')].map(({ id }) => id);
  const typed = main.querySelector<HTMLInputElement>('#search');
  const cursor = [typed?.selectionStart ?? 0, typed?.selectionEnd ?? 0] as const;
  const top = scrollY;
  main.replaceChildren(...next.childNodes);
  Object.assign(main.dataset, next.dataset);
  for (const id of unfolded) document.getElementById(id)?.setAttribute('open', '');
  const search = main.querySelector<HTMLInputElement>('#search');
  if (search && typed) {
    search.value = typed.value;
    search.hidden = typed.hidden;
  }
  scrollTo({ top, behavior: 'instant' });
  if (focused !== null && focusOn(main, focused) === search) search?.setSelectionRange(...cursor);
}

/** Focuses what `selector` finds, else the status. Returns it. */
function focusOn(main: HTMLElement, selector: string): HTMLElement | null {
  const target = main.querySelector<HTMLElement>(selector) ?? main.querySelector<HTMLElement>(STATUS);
  if (target) target.hidden = false;
  target?.focus({ preventScroll: true });
  return target;
}

/**
 * A selector for the same control in the new content. One without a mark of its own gives the
 * status.
 */
function selectorOf(element: Element | null): string {
  if (!element) return STATUS;
  if (element.id !== '') return `#${CSS.escape(element.id)}`;
  if (element instanceof HTMLButtonElement && element.name !== '')
    return `button[name="${CSS.escape(element.name)}"][value="${CSS.escape(element.value)}"]`;
  if (element instanceof HTMLAnchorElement)
    return `a[href="${CSS.escape(element.getAttribute('href') ?? '')}"]`;
  const summaryOf = element.parentElement?.id ?? '';
  return element.tagName === 'SUMMARY' && summaryOf !== '' ? `#${CSS.escape(summaryOf)} > summary` : STATUS;
}
