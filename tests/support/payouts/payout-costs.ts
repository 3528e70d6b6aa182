/**
 * What payouts cost on one of the drill's chains, counted and not timed: the statements and
 * requests of the sender, from payouts that wait together to the last `success`.
 */

import { changeMerchant } from '../../../src/app/merchants/manage-merchants.ts';
import { hotWalletText, type SendingChain } from '../../../src/app/sending/sending-chain.ts';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import { type CountingNode, startCountingNode } from '../payout-drill/counting-node.ts';
import type { DrillChain } from '../payout-drill/drill-chain.ts';
import { postBatch } from '../payout-drill/world.ts';
import { type CountingRelay, openCountingRelay } from '../postgres/counting-relay.ts';
import { testDatabase } from '../postgres/postgres.ts';
import { until } from '../runtime/poll.ts';
import { seeded } from '../runtime/seeded.ts';
import { startTestService, type TestService } from '../test-service.ts';

const CONFIRMATIONS = 2;
/** Looks of the sender without a new block before the next one comes. */
const LOOKS_A_BLOCK = 2;
const LOOKS_MAX = 200;

/** All of them together. */
export interface PayoutCosts {
  readonly payouts: number;
  readonly statements: number;
  readonly commits: number;
  /** HTTP requests, without those that broadcast. */
  readonly requests: number;
  readonly broadcasts: number;
  /** Those requests by what they ask, for people. */
  readonly asked: ReadonlyMap<string, number>;
  /** Looks of the sender. */
  readonly looks: number;
  /** The most frequent statements of the sender, for people. */
  readonly texts: readonly (readonly [text: string, times: number])[];
}

export interface CountedPayouts {
  /** Orders so many payouts, and sends them. */
  send(payouts: number): Promise<PayoutCosts>;
  close(): Promise<void>;
}

/** `databaseUrl`: of an empty database; default: a test database of its own. */
export async function openCountedPayouts(
  open: () => Promise<DrillChain>,
  databaseUrl?: string,
): Promise<CountedPayouts> {
  // Through a pooler, statements that set a transaction up would be counted as well.
  const database = databaseUrl === undefined ? await testDatabase({ pooled: false }) : null;
  const relay = await openCountingRelay(databaseUrl ?? database?.url ?? '');
  const chain = await open();
  const node = startCountingNode(chain.node);
  const it = await startTestService({
    databaseUrl: relay.url,
    chains: [chain.name],
    file: chain.configuration({ rpc: node.url, confirmations: CONFIRMATIONS }),
    overrides: { clock: { now: () => new Date(Date.now() + Math.max(0, chain.aheadMs?.() ?? 0)) } },
  });
  const on = it.service.sending.chains.get(chain.name);
  if (!on) throw new Error(`${chain.name} has no sender`);
  const merchant = await it.merchant({ callbackUrl: 'https://shop.example/hook' });
  await changeMerchant(it.service.dependencies)(merchant.id, { payoutWebhooks: true });
  await endow({ chain, it, on, merchant });
  const random = seeded(1);
  return {
    async send(count) {
      await order({ chain, it, merchant }, chain.payouts(count, random));
      return sent({ chain, it, relay, node }, count);
    },
    async close() {
      await it.stop();
      relay.close();
      await database?.drop();
      node.stop();
      await chain.stop();
    },
  };
}

interface Endowed {
  readonly chain: DrillChain;
  readonly it: TestService;
  readonly merchant: { readonly live: string };
}

async function endow({ chain, it, on, merchant }: Endowed & { readonly on: SendingChain }): Promise<void> {
  const { asset, usd } = chain.invoice;
  await it.settle();
  const order = { amount: usd, fiat_currency: 'USD', asset, fee_bearer: 'merchant' };
  const { body } = await it.call(merchant.live, 'POST', '/api/v2/invoices', order);
  const { address_to: to, amount } = body.result;
  const { catalog } = it.service.dependencies;
  const units = unitsOf(String(amount), catalog.require(asset).decimals);
  await chain.endow({ invoice: { to, units }, hotWallet: hotWalletText(on) });
  await chain.mine(CONFIRMATIONS + 2);
  await until('the merchant has a balance', 20_000, async () => {
    await it.settle();
    const balance = await it.call(merchant.live, 'GET', '/api/v2/balance');
    return balance.body.result.available > 0.9 * usd;
  });
  if (on.sender.utxos !== null) return;
  for (const each of chain.assets)
    await bookCapital(it.service.dependencies, on)({ asset: each, note: 'for the count', dryRun: false });
}

const ITEMS_MAX = 200;

async function order({ it, merchant }: Endowed, owed: ReturnType<DrillChain['payouts']>): Promise<void> {
  for (let from = 0; from < owed.length; from += ITEMS_MAX)
    for (const { status } of await postBatch(it, merchant, owed.slice(from, from + ITEMS_MAX)))
      if (status !== 'pending') throw new Error('a payout was refused');
}

interface Counted extends Pick<Endowed, 'chain' | 'it'> {
  readonly relay: CountingRelay;
  readonly node: CountingNode;
}

async function sent({ chain, it, relay, node }: Counted, payouts: number): Promise<PayoutCosts> {
  const { unitOfWork } = it.service.dependencies;
  const counts = () => [relay.statements, relay.commits, node.requests, node.broadcasts];
  const sums = [0, 0, 0, 0];
  const before = new Map(relay.texts());
  const asked = new Map<string, number>();
  const isDone = () =>
    unitOfWork.run(
      async (repositories) =>
        (await repositories.outgoing.open(chain.name, 1)).length === 0 &&
        (await repositories.payouts.unallocated(chain.assets)).length === 0,
    );
  for (let look = 1; look <= LOOKS_MAX; look += 1) {
    const began = counts();
    const askedBefore = new Map(node.asked);
    await it.run(`send:${chain.name}`);
    for (const [place, count] of counts().entries()) sums[place] = sums[place]! + count - began[place]!;
    for (const [what, times] of node.asked)
      asked.set(what, (asked.get(what) ?? 0) + times - (askedBefore.get(what) ?? 0));
    if (await isDone()) {
      const [statements = 0, commits = 0, requests = 0, broadcasts = 0] = sums;
      const texts = relay.texts().map(([text, times]) => [text, times - (before.get(text) ?? 0)] as const);
      return { payouts, statements, commits, requests, broadcasts, asked, looks: look, texts };
    }
    if (look % LOOKS_A_BLOCK !== 0) continue;
    await chain.mine(1);
    await it.run(`chain:${chain.name}`);
  }
  throw new Error('payouts did not settle');
}
