/** What each part of the script gets. */

export interface ScriptParts {
  readonly main: HTMLElement;
  announce(text: string): void;
  /** Fetches the page and shows what changed. Returns whether that worked. */
  refresh(): Promise<boolean>;
  /** Aborted when the content of `main` is replaced. */
  readonly ended: AbortSignal;
}

/** Runs every second until the content is replaced. */
export function everySecond(ended: AbortSignal, run: () => void): void {
  const ticking = setInterval(run, 1000);
  ended.addEventListener('abort', () => clearInterval(ticking));
}

/** Of numbers and dates: the page's language with the digits of ASCII, as the server's. */
export function locale(): string {
  return `${document.documentElement.lang}-u-nu-latn`;
}
