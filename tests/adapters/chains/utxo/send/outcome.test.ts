/**
 * What several sources of a UTXO chain say about one nonce, as one answer; and children for parents
 * that wait.
 */
import { describe, expect, test } from 'bun:test';
import { NodeLagging } from '../../../../../src/adapters/chains/shared/nodes/node-errors.ts';
import type { Spender, UtxoBackend } from '../../../../../src/adapters/chains/utxo/backend.ts';
import { storedTransaction } from '../../../../../src/adapters/chains/utxo/codec/stored.ts';
import { broadcast } from '../../../../../src/adapters/chains/utxo/send/broadcast.ts';
import { outcomeOf } from '../../../../../src/adapters/chains/utxo/send/outcome.ts';
import { prepare } from '../../../../../src/adapters/chains/utxo/send/prepare.ts';
import { utxoSpending } from '../../../../../src/adapters/chains/utxo/send/spendable.ts';
import { ChainUnavailable, type TransactionStatus } from '../../../../../src/ports/chains/chain-scanner.ts';
import type { BroadcastOutcome, SendingOutcome } from '../../../../../src/ports/sending/chain-sender.ts';
import type { Utxo } from '../../../../../src/ports/sending/utxo-spending.ts';
import { coinsOf, ofRate, orderOf, stubSending } from '../../../../support/utxo/utxo-stub.ts';

const HASH = 'b1'.repeat(32);
const OTHER_HASH = 'b2'.repeat(32);
const FOREIGN = 'f0'.repeat(32);
const mined = (height: number, blockHash = HASH): TransactionStatus => ({
  state: 'mined',
  height,
  blockHash,
});
const pending: TransactionStatus = { state: 'pending' };
const unknown: TransactionStatus = { state: 'unknown' };

interface Source {
  readonly tip?: number;
  /**
   * Of every transaction that is asked for, by its place in the order in which they were signed.
   */
  readonly places: readonly TransactionStatus[];
  /** The height at which somebody else spent the coin; none: it is unspent. */
  readonly foreignAt?: number;
}

/** Two transactions of one order, the second replacing the first, as the sources see them. */
async function combineNodeViews(...sources: readonly (Source | Error)[]): Promise<SendingOutcome> {
  const pricing = await stubSending('bitcoin', [ofRate(2_000n)]);
  const order = orderOf(pricing, coinsOf(1_000_000n), 300_000n);
  const first = (await prepare(pricing, order, null)).payload;
  const second = (await prepare(pricing, order, { raw: first })).payload;
  const transactions = [first, second].map((raw) => ({
    raw,
    txid: storedTransaction(pricing.network, raw).txid,
    voids: false,
  }));
  const backends = sources.map((source): Partial<UtxoBackend> => {
    if (source instanceof Error) return { tip: () => Promise.reject(source) };
    const { tip = 100, places, foreignAt } = source;
    const spender: Spender | null =
      foreignAt === undefined ? null : { txid: FOREIGN, block: { height: foreignAt, hash: HASH } };
    return {
      tip: async () => ({ height: tip, hash: HASH, parentHash: HASH, time: 0 }),
      place: async (txid) => places[transactions.findIndex((each) => each.txid === txid)] ?? mined(50),
      unspent: async () => (spender === null ? { height: 50, units: 1_000_000n } : null),
      spender: async () => spender,
    };
  });
  const sending = await stubSending('bitcoin', backends);
  const { wallet, nonce, inputs } = order;
  const outcome = await outcomeOf(sending, { wallet, nonce, inputs, order, transactions });
  if (outcome.kind === 'mined' || outcome.kind === 'waiting')
    expect(transactions.map(({ txid }) => txid)).toContain(outcome.txid);
  return outcome;
}

describe('outcomes', () => {
  test('what waits at one source of several waits, and the replacement is named', async () => {
    const outcome = await combineNodeViews({ places: [unknown, unknown] }, { places: [pending, pending] });
    expect(outcome.kind).toBe('waiting');
    expect(await combineNodeViews({ places: [unknown, unknown] })).toEqual({ kind: 'unseen' });
  });

  test('what is in a block is final when every source has it there, deep enough', async () => {
    const deep = { places: [unknown, mined(99)] };
    expect(await combineNodeViews(deep, deep)).toMatchObject({ kind: 'mined', final: true });
    for (const other of [
      { places: [unknown, mined(100)], tip: 100 },
      { places: [unknown, mined(99)], tip: 99 },
      { places: [unknown, mined(99, OTHER_HASH)] },
      { places: [mined(99), unknown] },
      { places: [unknown, pending] },
      { places: [unknown, unknown], foreignAt: 90 },
      new NodeLagging('lags'),
    ])
      expect(await combineNodeViews(deep, other)).toMatchObject({ kind: 'mined', final: false });
  });

  test('a foreign spend supersedes when every source has it in a final block; else ours is said to wait', async () => {
    const gone = { places: [unknown, unknown], foreignAt: 99 };
    expect(await combineNodeViews(gone, gone)).toEqual({ kind: 'superseded' });
    for (const other of [
      { places: [unknown, unknown], foreignAt: 100 },
      { places: [unknown, unknown] },
      { places: [pending, unknown], foreignAt: 99 },
      new NodeLagging('lags'),
    ])
      expect((await combineNodeViews(gone, other)).kind).toBe('waiting');
  });

  test('when no source is of use, it is ChainUnavailable', async () => {
    await expect(combineNodeViews(new NodeLagging('lags'), new NodeLagging('lags'))).rejects.toThrow(
      ChainUnavailable,
    );
  });
});

test('a broadcast is accepted when one source accepts it, and refused only when none does', async () => {
  const pricing = await stubSending('bitcoin', [ofRate(2_000n)]);
  const { payload } = await prepare(pricing, orderOf(pricing, coinsOf(1_000_000n), 300_000n), null);
  const answered = async (...answers: readonly BroadcastOutcome[]) => {
    const backends = answers.map((answer) => ({ broadcast: async () => answer }));
    return broadcast(await stubSending('bitcoin', backends), payload);
  };
  const [accepted, used] = [{ kind: 'accepted' }, { kind: 'nonce_used' }] as const;
  const refused = { kind: 'refused', reason: 'full' } as const;
  expect(await answered(refused, used, accepted)).toEqual(accepted);
  expect(await answered(refused, used)).toEqual(used);
  expect(await answered(refused)).toEqual(refused);
  await expect(answered()).rejects.toThrow(ChainUnavailable);
});

test('K4: a coin is spent by what waits when any node that answers knows of it', async () => {
  const [one, other] = coinsOf(1n, 2n);
  const known = async (...nodes: readonly (Utxo | undefined | Error)[]) => {
    const backends = nodes.map((spent) => ({
      spentByWaiting: async ({ txid }: { txid: string }) => {
        if (spent instanceof Error) throw spent;
        return txid === spent?.txid;
      },
    }));
    return utxoSpending(await stubSending('bitcoin', backends)).spentByWaiting([one!, other!]);
  };
  expect(await known(undefined, other)).toEqual([false, true]);
  expect(await known(new NodeLagging('lags'), one)).toEqual([true, false]);
  expect(await known(undefined, undefined)).toEqual([false, false]);
  await expect(known(new NodeLagging('lags'))).rejects.toThrow(ChainUnavailable);
});

describe('a child', () => {
  /** A parent of 300,000 with `change`, at 2 base units a byte: 141 of them. */
  async function parentWith(change: bigint) {
    const sending = await stubSending('bitcoin', [ofRate(2_000n)]);
    const order = orderOf(sending, coinsOf(300_000n + 282n + change), 300_000n);
    const { payload: raw, maxFeeUnits: paidFeeUnits } = await prepare(sending, order, null);
    const utxos = utxoSpending(sending);
    const { txid } = storedTransaction(sending.network, raw);
    const output = utxos.changeOf({ raw, nonce: 0n })!;
    return { utxos, parent: { raw, paidFeeUnits, change: { txid, ...output } } };
  }

  test('pays what both lack', async () => {
    const { utxos, parent } = await parentWith(50_000n);
    const { virtualSize } = storedTransaction((await stubSending('bitcoin', [])).network, parent.raw);
    expect(utxos.bump({ ...parent, feeRate: 20_000n })).toEqual({
      units: 50_000n - (20n * (virtualSize + 110n) - 282n),
    });
  });

  test('pays as much as the change has, if that is of help at all', async () => {
    const { utxos, parent } = await parentWith(1_500n);
    expect(utxos.bump({ ...parent, feeRate: 50_000n })).toEqual({ units: 294n });
    const poor = await parentWith(400n);
    expect(poor.utxos.bump({ ...poor.parent, feeRate: 50_000n })).toBeNull();
  });

  test('raises the price of both by a quarter where that is no more, not where three times it is paid, and spends only its parent’s change', async () => {
    const { utxos, parent } = await parentWith(50_000n);
    expect(utxos.bump({ ...parent, feeRate: 2_000n })!.units).toBeLessThan(parent.change.units);
    expect(utxos.bump({ ...parent, feeRate: 600n })).toBeNull();
    for (const wrong of [{ vout: 0 }, { units: 1n }, { txid: FOREIGN }])
      expect(() =>
        utxos.bump({ ...parent, feeRate: 20_000n, change: { ...parent.change, ...wrong } }),
      ).toThrow(/no output/);
  });
});
