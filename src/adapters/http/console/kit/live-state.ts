/**
 * What open pages follow: a state that changes when something happened. A page has the state from
 * before it was made, so that nothing is missed between the page and its stream.
 */
import type { Application } from '../../../../app/application.ts';
import type { Place } from './place.ts';

/** What operators' pages show has no counter: they are renewed again and again. */
const OPERATORS_EVERY_MS = 15_000;
const OPERATORS_KEY = 'operators';

/** Of a merchant and an environment; of the operators; null: there is nothing to follow. */
export function liveKey(place: Place): string | null {
  if (place.area === 'operator') return OPERATORS_KEY;
  return place.area === 'merchant' ? `${place.merchantId} ${place.environment}` : null;
}

/** The states of the keys now, with one statement. */
export async function liveStates(
  { queries }: Pick<Application, 'queries'>,
  keys: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, string>> {
  const ids = keys.filter((key) => key !== OPERATORS_KEY).map((key) => key.split(' ')[0] ?? '');
  const seqs = ids.length === 0 ? [] : await queries.lastEvents([...new Set(ids)]);
  const states = new Map(keys.map((key) => [key, '0']));
  for (const { merchantId, sandbox, seq } of seqs)
    states.set(`${merchantId} ${sandbox ? 'sandbox' : 'live'}`, String(seq));
  states.set(OPERATORS_KEY, String(Math.floor(now.getTime() / OPERATORS_EVERY_MS)));
  return states;
}
