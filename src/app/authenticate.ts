/** Finds the merchant of an API key. Answers are cached for a few seconds: a revoked key works at most that much longer. */
import type { Identity } from '../ports/queries.ts';
import type { AppDependencies } from './dependencies.ts';

const CACHED_MS = 5_000;
const CACHE_MAX = 20_000;

type Needs = Pick<AppDependencies, 'clock' | 'queries' | 'vault'>;

export function authenticator(deps: Needs): (apiKey: string) => Promise<Identity | null> {
  // By lookup hash, so that no key stays in memory.
  const cache = new Map<string, { readonly identity: Identity | null; readonly until: number }>();
  return async (apiKey) => {
    if (!/^sk_(live|sandbox)_[0-9a-f]{48}$/.test(apiKey)) return null;
    const hash = deps.vault.lookupHash(apiKey);
    const now = deps.clock.now().getTime();
    const known = cache.get(hash);
    if (known && known.until > now) return known.identity;
    const identity = await deps.queries.identity(hash);
    if (cache.size >= CACHE_MAX) cache.clear();
    cache.set(hash, { identity, until: now + CACHED_MS });
    return identity;
  };
}
