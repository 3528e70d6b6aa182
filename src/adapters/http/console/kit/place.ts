/** Where a page of the console is, and what its frame is made from. */
import type { SignedIn } from '../../../../app/accounts/accounts.ts';
import type { Environment } from '../../../../domain/environment.ts';
import type { ConsoleAssetName } from './assets.ts';

export type Place =
  | { readonly area: 'account' }
  | { readonly area: 'merchant'; readonly merchantId: string; readonly environment: Environment }
  | { readonly area: 'operator' };

export interface ShellParts {
  readonly request: Request;
  /** Path of the console, as the browser sees it: `/console`. */
  readonly home: string;
  readonly assets: Readonly<Record<ConsoleAssetName, string>>;
  readonly signedIn: SignedIn | null;
  /** Null without a session. */
  readonly formCode: string | null;
  readonly place: Place;
  /** What the page's stream reported before it was made, by its key; null: unknown. */
  readonly liveStates: ReadonlyMap<string, string> | null;
  /** A random UUID. */
  uuid(): string;
}

export function merchantBase(
  home: string,
  { merchantId, environment }: { readonly merchantId: string; readonly environment: Environment },
): string {
  return `${home}/m/${merchantId}/${environment}`;
}

/**
 * Where a page may lead on to after a sign-in or a second factor: a path of the console. The tokens
 * of links have capital letters.
 */
export const BACK = /^\/[A-Za-z0-9/_-]*$/;
