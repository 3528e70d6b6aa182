/**
 * A service on a fake chain whose hot wallet is forwarded to a cold address above a threshold, and
 * the signer's policy file. Looking for what to forward runs when a test says so.
 */
import { expect } from 'bun:test';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeDeriver } from '../../../src/adapters/chains/fake/fake-deriver.ts';
import { hotWalletOf, hotWalletText, type SendingChain } from '../../../src/app/sending/sending-chain.ts';
import { bookCapital } from '../../../src/app/treasury/book-capital.ts';
import type { Overrides } from '../../../src/compose/overrides.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import { unitsOf } from '../../../src/domain/money/decimal.ts';
import type { OutgoingTransfer } from '../../../src/domain/sending/outgoing.ts';
import { type LogLine, recordingLogger } from '../evm/evm-lab.ts';
import { temporaryDirectory } from '../runtime/temp-directory.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';
import { type Json, startTestService, type TestService } from '../test-service.ts';

/** An index that is no deposit address of ours in any test. */
const COLD_INDEX = 900_000;

export interface ForwardJourney {
  readonly it: TestService;
  readonly clock: TestClock;
  readonly lines: readonly LogLine[];
  readonly merchant: { id: string; live: string };
  /** The cold address, as the policy has it. */
  readonly cold: string;
  /** Normalized. */
  readonly hot: string;
  on(): SendingChain;
  control(): ReturnType<typeof controlOf>;
  units(amount: string, asset?: string): bigint;
  /** An address of nobody here. */
  stranger(place?: number): string;
  policy(content: unknown): Promise<void>;
  /** The operator puts money into the hot wallet, and books it. */
  fund(amount: string, asset?: string): Promise<void>;
  mine(count?: number): Promise<void>;
  run(job: string): Promise<void>;
  /** Reconciles, and looks what is to be forwarded. */
  forward(): Promise<void>;
  /** What was ordered is sent, mined to its finality, and settled. */
  finish(): Promise<void>;
  forwards(asset?: string): Promise<readonly OutgoingTransfer[]>;
  /** What came to the cold address. */
  received(asset?: string): bigint;
  balance(asset?: string): bigint;
  /** The last reason why nothing is forwarded. */
  bar(): unknown;
  order(amount: number, change?: Json): Promise<string>;
  payout(id: string): Promise<Json>;
  /** A balance for the merchant: an invoice that is paid. */
  earn(usd: number): Promise<void>;
  booksAreRight(): Promise<void>;
  close(): Promise<void>;
}

export interface ForwardOrder {
  readonly chain: string;
  readonly asset: string;
  /** Thresholds by asset. */
  readonly rules: Readonly<Record<string, { above: string; keep: string }>>;
  readonly file?: Json;
  readonly env?: Readonly<Record<string, string>>;
  readonly overrides?: Overrides;
  readonly databaseUrl?: string;
}

export async function openForwardJourney(order: ForwardOrder): Promise<ForwardJourney> {
  const { chain, asset: usual, rules } = order;
  const folder = await temporaryDirectory();
  const policyFile = join(folder.path, 'policy.json');
  const clock = testClock();
  const logger = recordingLogger();
  const { family, confirmations } = chainNamed(chain);
  const strangers = fakeDeriver({ family });
  const stranger = (place = 0): string => strangers.derive({ from: COLD_INDEX + place, count: 1 })[0]!;
  const cold = stranger();
  const policy = async (content: unknown): Promise<void> => {
    await writeFile(`${policyFile}.new`, JSON.stringify(content));
    await rename(`${policyFile}.new`, policyFile);
  };
  await policy({ cold_addresses: { [chain]: cold } });
  const it = await startTestService({
    env: { CHAINS: 'fake', SIGNER_POLICY: policyFile, ...order.env },
    file: { treasury: { forward: rules }, ...order.file },
    chains: [chain],
    overrides: { clock, logger, ...order.overrides },
    ...(order.databaseUrl === undefined ? {} : { databaseUrl: order.databaseUrl }),
  });
  const merchant = await it.merchant();
  await it.settle();
  const { dependencies: deps } = it.service;
  const on = (): SendingChain => it.service.sending.chains.get(chain)!;
  const control = () => controlOf(it, chain);
  const isUtxo = () => on().sender.utxos !== null;
  const units = (amount: string, asset = usual): bigint =>
    unitsOf(amount, deps.catalog.require(asset).decimals);
  const call = async (method: string, path: string, body?: Json): Promise<Json> => {
    const answer = await it.call(merchant.live, method, `/api/v2/${path}`, body, {
      'x-uniq-id': crypto.randomUUID(),
    });
    expect(answer.body).toMatchObject({ ok: true });
    return answer.body.result;
  };
  const hot = hotWalletOf(on());

  const journey: ForwardJourney = {
    ...{ it, clock, lines: logger.lines, merchant, cold, hot, on, control, units, stranger, policy },
    async fund(amount, asset = usual) {
      if (isUtxo()) control().pay({ to: hotWalletText(on()), asset, units: units(amount, asset) });
      else control().fund(hot, asset, units(amount, asset));
      await journey.mine();
      if (isUtxo()) return;
      const booked = await bookCapital(deps, on())({ asset, note: 'test', dryRun: false });
      expect(booked.ok).toBe(true);
    },
    async mine(count = confirmations) {
      control().mine(count);
      await it.settle();
    },
    run: (name) => it.run(name),
    async forward() {
      await journey.run('reconcile');
      await journey.run(`forward:${chain}`);
    },
    async finish() {
      await it.settle();
      await journey.mine(confirmations + 1);
      await journey.mine(1);
    },
    forwards: (asset = usual) => deps.unitOfWork.run(({ outgoing }) => outgoing.newestForwards(asset, 10)),
    received: (asset = usual) =>
      control()
        .received(cold)
        .reduce((sum, transfer) => (transfer.asset === asset ? sum + transfer.units : sum), 0n),
    balance: (asset = usual) => control().balanceOf(hot, asset),
    bar: () => logger.lines.findLast(({ event }) => event === 'forward.waits')?.fields.code ?? null,
    order: async (amount, change = {}) =>
      (await call('POST', 'payouts', { address: stranger(1), amount, asset: usual, ...change })).order_id,
    payout: (id) => call('GET', `payouts/${id}`),
    async earn(usd) {
      const invoice = await call('POST', 'invoices', { amount: usd, fiat_currency: 'USD', asset: usual });
      control().pay({ to: invoice.address_to, asset: usual, units: units(String(invoice.amount)) });
      await journey.mine();
    },
    async booksAreRight() {
      await journey.run('reconcile');
      expect(await deps.operatorQueries.reconciliationFaults()).toEqual([]);
      const { reconcileChain } = await import('../../../src/app/treasury/reconcile-chain.ts');
      expect(await reconcileChain(deps, on(), { height: null })).toMatchObject({
        ...{ differences: [], unavailable: null },
      });
    },
    async close() {
      await it.stop();
      await folder.remove();
    },
  };
  return journey;
}

function controlOf(it: TestService, chain: string) {
  const fake = it.service.chains.fakes?.get(chain);
  if (!fake) throw new Error('the fake chains are not there');
  return fake.control;
}
