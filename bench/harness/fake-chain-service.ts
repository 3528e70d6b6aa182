/** The composed service in this process, on a database of the bench and one fake chain. */
import { SQL } from 'bun';
import type { FakeChainControl } from '../../src/adapters/chains/fake/fake-control.ts';
import { startTestService, type TestService } from '../../tests/support/test-service.ts';

export const CHAIN = 'ethereum';
export const ASSET = 'usdt_ethereum';
/** What the customer of an invoice of 25 USD pays, with the fee. */
export const UNITS = 25_250_000n;
export const CONFIRMATIONS = 12;
/** Payments of a block. */
const BLOCK = 100;
/** Invoices that are ordered at once. */
const AT_ONCE = 50;

export interface FakeChainService {
  readonly it: TestService;
  /** One connection beside the service's own. */
  readonly sql: SQL;
  readonly chain: FakeChainControl;
}

export async function onFakeChain<Found>(
  databaseUrl: string,
  work: (service: FakeChainService) => Promise<Found>,
  env: Readonly<Record<string, string>> = {},
): Promise<Found> {
  const it = await startTestService({
    databaseUrl,
    env: { CHAINS: 'fake', LOG_LEVEL: 'silent', ...env },
    chains: [CHAIN],
  });
  const sql = new SQL({ url: databaseUrl, adapter: 'postgres', max: 1 });
  try {
    await it.settle();
    const chain = it.service.chains.fakes?.get(CHAIN)?.control;
    if (!chain) throw new Error('the fake chains are not there');
    return await work({ it, sql, chain });
  } finally {
    await sql.close();
    await it.stop();
  }
}

/** Pays invoices in blocks of a hundred, to their finality, and credits what was paid. */
export async function payInvoices({ it, chain }: FakeChainService, addresses: readonly string[]) {
  for (let from = 0; from < addresses.length; from += BLOCK) {
    for (const to of addresses.slice(from, from + BLOCK)) chain.pay({ to, asset: ASSET, units: UNITS });
    chain.mine(1);
    await it.run(`chain:${CHAIN}`);
  }
  chain.mine(CONFIRMATIONS);
  await it.run(`chain:${CHAIN}`);
  await it.run('screen-deposits');
  await it.run('fold-list-counts');
}

/** Orders `count` invoices of 25 USD with the keys in turn. `more` adds to the nth order. */
export async function orderInvoices(
  { it }: FakeChainService,
  keys: readonly string[],
  count: number,
  more: (nth: number) => object = () => ({}),
): Promise<{ readonly ids: readonly string[]; readonly addresses: readonly string[] }> {
  const ids: string[] = [];
  const addresses: string[] = [];
  for (let made = 0; made < count; made += AT_ONCE) {
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) =>
        it.call(keys[(made + n) % keys.length]!, 'POST', '/api/v2/invoices', {
          ...{ amount: 25, fiat_currency: 'USD', asset: ASSET },
          ...more(made + n),
        }),
      ),
    );
    for (const { body } of answers) {
      ids.push(body.result.order_id);
      addresses.push(body.result.address_to);
    }
  }
  return { ids, addresses };
}
