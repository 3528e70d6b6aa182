/**
 * Random payments to random permanent addresses of two merchants, on some of which invoices wait.
 */
import { expect } from 'bun:test';
import type { SQL } from 'bun';
import fc from 'fast-check';
import { recordTransfers } from '../../../src/app/deposits/record-transfer.ts';
import { timeOfPayment } from '../../../src/domain/chains/payment-time.ts';
import { aHash } from '../builders.ts';
import { rowsOf } from '../ledger/rows-of.ts';
import type { SetsStage } from '../ledger/sets-stage.ts';
import type { Json } from '../test-service.ts';

const USERS = ['user-0', 'user-1'];
/** Base units that are worth about a dollar. */
const A_DOLLAR = { usdt_ethereum: 1_000_000n, eth_ethereum: 4n * 10n ** 14n } as const;
const asset = fc.constantFrom('usdt_ethereum', 'usdt_ethereum', 'eth_ethereum');
const place = { merchant: fc.nat(1), user: fc.nat(1) };

export const permanentWorld = fc.record({
  /** Each waits for the last of these choices. */
  waiting: fc.array(fc.record({ ...place, choices: fc.array(asset, { minLength: 1, maxLength: 2 }) }), {
    maxLength: 5,
  }),
  payments: fc.array(
    fc.record({
      ...place,
      asset,
      dollars: fc.constantFrom(1n, 2n, 25n, 25n, 30n),
      source: fc.constantFrom('log:0', 'log:0', 'log:0', 'call:0', 'unexplained'),
      /** Before the invoices, and after the addresses. */
      isEarly: fc.nat(4).map((one) => one === 0),
      /** The transfer before it, at this payment's amount. */
      repeats: fc.nat(7).map((one) => one === 0),
    }),
    { minLength: 3, maxLength: 14 },
  ),
});
type PermanentWorld = typeof permanentWorld extends fc.Arbitrary<infer World> ? World : never;

/** What is stored of the world if its payments are recorded in one set, and if one by one. */
export async function rowsInBothWays(
  stage: SetsStage,
  sql: SQL,
  world: PermanentWorld,
): Promise<readonly [together: Json, oneByOne: Json]> {
  const { clock } = stage.journey;
  const both = [await opened(stage), await opened(stage)] as const;
  clock.advance(1_000);
  for (const { order } of both) await order(world.waiting);
  clock.advance(60);
  const [together, oneByOne] = both;
  await together.record(world.payments, true);
  await oneByOne.record(world.payments, false);
  return [await together.rows(sql), await oneByOne.rows(sql)];
}

async function opened(stage: SetsStage) {
  const { it, clock } = stage.journey;
  const { dependencies: deps, application } = it.service;
  const merchants = [await it.merchant({ callbackUrl: 'https://shop.example/hook' }), await it.merchant()];
  const keyOf = (n: number) => merchants[n]?.live ?? '';
  const addresses: Json[] = [];
  for (const { live } of merchants)
    for (const user_id of USERS)
      addresses.push(
        (await it.call(live, 'POST', '/api/v2/permanent', { user_id, family: 'evm' })).body.result,
      );
  const txids: string[] = [];

  return {
    async order(waiting: PermanentWorld['waiting']): Promise<void> {
      for (const { merchant, user, choices } of waiting) {
        const { status, body } = await it.call(keyOf(merchant), 'POST', '/api/v2/invoices', {
          ...{ amount: 25, fiat_currency: 'USD', billing_type: 'VARY' },
          ...{ permanent_address: true, user_id: USERS[user] },
        });
        expect(status).toBe(201);
        for (const choice of choices) {
          const { external_id: page } = body.result;
          const chosen = await application.chooseCurrency(page, deps.catalog.require(choice));
          expect(chosen).toMatchObject({ ok: true });
        }
      }
    },

    async record(payments: PermanentWorld['payments'], isSet: boolean): Promise<void> {
      const [now, tipTime] = [clock.now(), clock.now().getTime() / 1000];
      let [txid, output] = ['', ''];
      const observations = payments.map((payment, n) => {
        const { asset: paid, dollars, source, isEarly, repeats } = payment;
        const isUnexplained = source === 'unexplained';
        if (!repeats || n === 0) [txid, output] = [aHash(), isUnexplained ? 'balance' : source];
        txids.push(txid);
        const { address } = addresses[payment.merchant * USERS.length + payment.user];
        return {
          transfer: {
            ...{ txid, output, asset: isUnexplained ? ('eth_ethereum' as const) : paid, from: null },
            ...{
              to: deps.liveDerivers.get('evm')?.normalize(address) ?? '',
              units: A_DOLLAR[paid] * dollars,
            },
            kind: isUnexplained ? ('unexplained' as const) : ('payment' as const),
          },
          at: {
            ...{ chain: 'ethereum', family: 'evm' as const, hotWallet: null },
            ...{ block: { height: 1, hash: 'the block' } },
            ...timeOfPayment('evm', isEarly ? tipTime - 600 : tipTime, { tipTime, at: now }),
          },
        };
      });
      const sets = isSet ? [observations] : observations.map((one) => [one]);
      for (const set of sets)
        await deps.unitOfWork.run((repositories) => recordTransfers(deps, repositories, set));
    },

    async rows(sql: SQL): Promise<Json> {
      const invoices: Json[] = [];
      for (const { id } of merchants)
        invoices.push(
          ...(await sql`select id as order_id, external_id as address_to from invoices
            where merchant_id = ${id} order by seq`),
        );
      const permanent = addresses.map(({ id, address }) => ({ order_id: id, address_to: address }));
      return rowsOf(sql, { merchants, invoices: [...permanent, ...invoices], txids: [...new Set(txids)] });
    },
  };
}
