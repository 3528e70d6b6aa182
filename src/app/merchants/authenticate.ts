/**
 * Finds the merchant of an API key. Results are cached for a few seconds: a revoked key works at
 * most that much longer. Unknown keys cost the database next to nothing, however many are tried
 * (safety.md W4).
 */
import { boundedMap } from '../../domain/bounded-map.ts';
import type { Identity } from '../../ports/list-queries.ts';
import type { AppDependencies } from '../dependencies.ts';
import { listOfKeys } from './known-key-hashes.ts';
import { isKept, KEPT_MS, strangersBound } from './unknown-key-budget.ts';

const GOOD_MAX = 20_000;
const MISSES_MAX = 2_000;

type AuthenticationNeeds = Pick<
  AppDependencies,
  'clock' | 'timers' | 'queries' | 'vault' | 'unitOfWork' | 'logger'
>;

/** See Application.authenticate. */
export function authenticator(
  deps: AuthenticationNeeds,
  strangerMayAsk: () => boolean = strangersBound(deps.clock),
): (apiKey: string, admits?: () => boolean) => Promise<Identity | null> {
  // By lookup hash, so that no key stays in memory.
  const good = boundedMap<string, { readonly identity: Identity; readonly until: number }>(GOOD_MAX);
  const misses = boundedMap<string, number>(MISSES_MAX);
  const underWay = new Map<string, Promise<Identity | null>>();
  const isListed = listOfKeys(deps);

  /**
   * Before the call continues: a client that got a response with a new key can be sure that
   * webhooks are signed with it (decision 0011). It is written once per key.
   */
  async function noteFirstUse(hash: string, { merchant, environment }: Identity): Promise<void> {
    const at = deps.clock.now();
    if (await deps.unitOfWork.run(({ merchants }) => merchants.noteFirstUse(hash, at)))
      deps.logger.info('merchant.new_key_used', { merchantId: merchant.id, environment });
  }

  async function lookUp(hash: string): Promise<Identity | null> {
    const identity = await deps.queries.identity(hash, deps.clock.now());
    if (identity?.firstUse === true) await noteFirstUse(hash, identity);
    const until = deps.clock.now().getTime() + KEPT_MS;
    if (identity !== null) good.set(hash, { identity, until });
    else {
      good.delete(hash);
      misses.set(hash, until);
    }
    return identity;
  }

  /** `mayAsk`: whether the database is asked about a key that is not in the list. */
  async function find(hash: string, mayAsk: boolean): Promise<Identity | null> {
    return mayAsk || (await isListed(hash)) ? lookUp(hash) : null;
  }

  return async (apiKey, admits = () => true) => {
    if (!/^sk_(live|sandbox)_[0-9a-f]{48}$/.test(apiKey)) return null;
    const hash = deps.vault.lookupHash(apiKey);
    const now = deps.clock.now().getTime();
    const known = good.get(hash);
    if (known && isKept(known.until, now)) return known.identity;
    const asked = underWay.get(hash);
    if (asked) return asked;
    if (!known && isKept(misses.get(hash) ?? 0, now)) return null;
    const answer = find(hash, known !== undefined || (admits() && strangerMayAsk()));
    const ended = answer.finally(() => underWay.delete(hash));
    underWay.set(hash, ended);
    return ended;
  };
}
