/**
 * What open pages follow: a state that changes when something happened. A page has the state from
 * before it was made, so that nothing is missed between the page and its stream.
 */
import type { Application } from '../../../../app/application.ts';
import type { LastNumber } from '../../../../ports/merchants/merchant-queries.ts';
import type { Place } from './place.ts';

/**
 * `changes`: of what is there, as the merchant is notified of them. `invoices`: new invoices
 * besides. Operators' pages know no difference.
 */
export type Followed = 'changes' | 'invoices';

/** What operators' pages show has no counter: they are renewed again and again. */
const OPERATORS_EVERY_MS = 15_000;
const OPERATORS_KEY = 'operators';

/** Of a merchant and an environment; of the operators; null: there is nothing to follow. */
export function liveKey(place: Place, followed: Followed): string | null {
  if (place.area === 'operator') return OPERATORS_KEY;
  return place.area === 'merchant' ? `${place.merchantId} ${place.environment} ${followed}` : null;
}

/** The states of the keys now, with one statement. */
export async function liveStates(
  { queries }: Pick<Application, 'queries'>,
  keys: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, string>> {
  const ids = keys.filter((key) => key !== OPERATORS_KEY).map((key) => key.split(' ')[0] ?? '');
  const found = ids.length === 0 ? [] : await queries.lastNumbers([...new Set(ids)]);
  const numbers = new Map(found.map((row) => [nameOf(row), row.seq]));
  const stateOf = (key: string): string => {
    const [merchantId = '', environment = '', followed] = key.split(' ');
    const last = (stream: LastNumber['stream']): string =>
      String(numbers.get(nameOf({ merchantId, sandbox: environment === 'sandbox', stream })) ?? 0);
    return followed === 'invoices' ? `${last('events')}-${last('invoices')}` : last('events');
  };
  const states = new Map(keys.map((key) => [key, stateOf(key)]));
  states.set(OPERATORS_KEY, String(Math.floor(now.getTime() / OPERATORS_EVERY_MS)));
  return states;
}

function nameOf({ merchantId, sandbox, stream }: Omit<LastNumber, 'seq'>): string {
  return `${merchantId} ${sandbox ? 'sandbox' : 'live'} ${stream}`;
}
