/**
 * The contract of every ChainSender whose transactions expire (Tron, Solana, XRP, TON): run by the
 * fake and against every test network of a family. safety.md, "Paid once": a payment is signed
 * again only once the earlier bytes are proven dead.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { OwnMoney } from '../../../src/domain/sending/own-money.ts';
import { ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import type {
  ChainSender,
  SendingOrder,
  UnsignedTransaction,
} from '../../../src/ports/sending/chain-sender.ts';
import { type Change, priced } from '../../support/utxo/lone-orders.ts';
import { ACCEPTED } from './any-sender.ts';
import { testSequences } from './expiring-sender-nonces.ts';
import { type ExpiringSteps, expiringSteps } from './expiring-sender-steps.ts';

/**
 * A chain that the suite can drive, and the tested sender. Transactions wait until `mine` is
 * called.
 */
export interface ExpiringCase {
  readonly sender: ChainSender;
  /** The native coin first, then a token if the chain has one. */
  readonly assets: readonly string[];
  /** The amount of a payment: enough for a new address of the chain. */
  readonly units: bigint;
  /** Has a thousand payments of every asset, and their fees. Only the suite uses it. */
  readonly wallet: string;
  /** Another wallet of the gateway, without money. */
  readonly poorWallet: string;
  /** An unused address that can be paid, in normalized form. */
  freshAddress(): string;
  /** Signs with the key of `order.wallet`; this suite does not test the signer's own rules. */
  sign(order: SendingOrder, unsigned: UnsignedTransaction): Promise<{ raw: string; txid: string }>;
  /** The balance at the best block, read without the sender. */
  balanceOf(address: string, asset: string): Promise<bigint>;
  /** Mines blocks with the waiting transactions. */
  mine(count: number): Promise<void>;
  /**
   * Blocks, including its own, that make a payment of the native coin final; with one less it is
   * not.
   */
  readonly finalAfter: number;
  /** Makes all blocks so far final, with more blocks if the chain needs them. */
  settle(): Promise<void>;
  /** Waiting transactions are lost. */
  drop(): Promise<void>;
  /**
   * Mines empty blocks until no later block can accept bytes of that limit; the last ones are not
   * final.
   */
  pass(validUntil: bigint): Promise<void>;
  /** While on, no node can be reached. */
  outage(on: boolean): Promise<void>;
  /**
   * While on, a token payment of `wallet` burns none of the coin: energy is delegated to it. Left
   * out where each takes a fee.
   */
  delegate?(on: boolean): Promise<void>;
  close(): Promise<void>;
}

/** `counted`: the chain counts a wallet's transactions (SendingCapabilities.nonces). */
export function describeExpiringSender(
  name: string,
  open: () => Promise<ExpiringCase>,
  { counted }: { counted: boolean },
): void {
  describe(`sender of what expires: ${name}`, () => {
    let chain: ExpiringCase;
    beforeAll(async () => {
      chain = await open();
    });
    beforeEach(() => chain.mine(1));
    afterAll(() => chain.close());
    const steps = expiringSteps(() => chain);
    testPayments(steps);
    testExpiry(steps);
    testFaults(steps);
    testSequences(steps, { counted });
  });
}

function testPayments(on: ExpiringSteps): void {
  test('a payment of each asset arrives, and its fee is exact against the balance and within the price', async () => {
    for (const asset of on.chain.assets) {
      const balances = () =>
        Promise.all(on.chain.assets.map((each) => on.chain.balanceOf(on.chain.wallet, each)));
      const order = await on.orderOf({ asset });
      const price = await on.sender.price(priced(order));
      const before = await balances();
      const transaction = await on.sent(order);
      await on.chain.mine(1);
      await on.chain.settle();
      const { effects, feeUnits, txid, final } = await on.minedOf(order, transaction);
      expect({ effects, txid, final }).toEqual({ effects: [true], txid: transaction.txid, final: true });
      expect(await on.arrived(order)).toBe(on.chain.units);
      expect(transaction.maxFeeUnits).toBeGreaterThanOrEqual(feeUnits);
      expect(price.maxUnits).toBeGreaterThanOrEqual(price.expectedUnits);
      expect(price.maxUnits).toBeGreaterThanOrEqual(feeUnits);
      const gone = (await balances()).map((units, index) => before[index]! - units);
      const sent = on.chain.assets.map((each) => (each === asset ? on.chain.units : 0n));
      expect(gone).toEqual(sent.map((units, index) => units + (index === 0 ? feeUnits : 0n)));
    }
  });

  test('the same bytes broadcast twice, and again once they are mined, are accepted and pay once', async () => {
    const order = await on.orderOf();
    const { raw } = await on.sent(order);
    expect(await on.sender.broadcast(raw)).toEqual(ACCEPTED);
    await on.chain.mine(1);
    expect(await on.sender.broadcast(raw)).toEqual(ACCEPTED);
    await on.chain.settle();
    expect(await on.arrived(order)).toBe(on.chain.units);
  });

  test('an outcome is unseen, then mined, and final with the last of the blocks that this takes and not before', async () => {
    const order = await on.orderOf();
    expect(await on.outcomeOf(order)).toEqual({ kind: 'unseen' });
    const transaction = await on.signed(order);
    expect(await on.outcomeOf(order, transaction)).toEqual({ kind: 'unseen' });
    await on.sender.broadcast(transaction.raw);
    expect(['unseen', 'waiting']).toContain((await on.outcomeOf(order, transaction)).kind);
    for (let blocks = 1; blocks < on.chain.finalAfter; blocks++) {
      await on.chain.mine(1);
      const outcome = await on.outcomeOf(order, transaction);
      // Some chains only report a payment once it is irreversible.
      if (outcome.kind === 'mined') expect(outcome.final).toBe(false);
      else expect(outcome).toEqual({ kind: 'waiting', txid: transaction.txid });
    }
    await on.chain.mine(1);
    const { block, final } = await on.minedOf(order, transaction);
    expect(final).toBe(true);
    expect(await on.sender.onChain(block)).toBe(true);
  });

  test('balances of several assets are read at one block', async () => {
    const address = on.chain.freshAddress();
    expect([...(await on.sender.balances(address, on.chain.assets)).units.values()]).toEqual(
      on.chain.assets.map(() => 0n),
    );
    for (const asset of on.chain.assets) {
      await on.sent(await on.orderOf({ asset, to: address }));
      await on.chain.mine(1);
    }
    await on.chain.settle();
    const { block, units } = await on.sender.balances(address, on.chain.assets);
    expect([...units]).toEqual(on.chain.assets.map((asset) => [asset, on.chain.units]));
    expect(await on.sender.onChain(block)).toBe(true);
  });
}

function testExpiry(on: ExpiringSteps): void {
  test('what nobody took has expired once its limit is final, and not before', async () => {
    const order = await on.orderOf();
    const transaction = await on.signed(order);
    expect(transaction.validUntil).not.toBeNull();
    expect(await on.outcomeOf(order, transaction)).toEqual({ kind: 'unseen' });
    await on.chain.pass(transaction.validUntil!);
    expect(['unseen', 'expired']).toContain((await on.outcomeOf(order, transaction)).kind);
    await on.chain.settle();
    expect(await on.outcomeOf(order, transaction)).toEqual({ kind: 'expired' });
  });

  test('what was accepted and lost has expired likewise, and is paid once under the same nonce', async () => {
    for (const asset of on.chain.assets) {
      const order = await on.orderOf({ asset });
      const dead = await on.sent(order);
      await on.chain.drop();
      await on.chain.pass(dead.validUntil!);
      await on.chain.settle();
      expect(await on.outcomeOf(order, dead)).toEqual({ kind: 'expired' });
      const again = await on.signed(order, dead);
      expect(again.txid).not.toBe(dead.txid);
      expect(again.validUntil!).toBeGreaterThan(dead.validUntil!);
      expect(await on.outcomeOf(order, dead, again)).toEqual({ kind: 'unseen' });
      expect((await on.sender.broadcast(dead.raw)).kind).not.toBe('accepted');
      expect(await on.sender.broadcast(again.raw)).toEqual(ACCEPTED);
      await on.chain.mine(1);
      await on.chain.settle();
      expect(await on.minedOf(order, dead, again)).toMatchObject({
        txid: again.txid,
        effects: [true],
        final: true,
      });
      expect(await on.arrived(order)).toBe(on.chain.units);
    }
  });

  test('what a block took stays mined, however long its limit is past', async () => {
    const order = await on.orderOf();
    const transaction = await on.sent(order);
    await on.chain.mine(1);
    await on.chain.pass(transaction.validUntil!);
    await on.chain.settle();
    expect(await on.minedOf(order, transaction)).toMatchObject({ txid: transaction.txid, final: true });
    expect(await on.sender.broadcast(transaction.raw)).toEqual(ACCEPTED);
  });
}

function testFaults(on: ExpiringSteps): void {
  test('a wallet without the money, or that keeps less than the chain wants, is refused for money', async () => {
    const money = { name: 'SendingRefused', because: 'money' };
    for (const asset of on.chain.assets) {
      const poor = await on.orderOf({ wallet: on.chain.poorWallet, asset });
      await expect(on.sender.prepare(poor, null)).rejects.toMatchObject(money);
      const { units } = await on.sender.balances(on.chain.wallet, [asset]);
      const rich = await on.orderOf({ asset, units: units.get(asset)! + 1n });
      await expect(on.sender.prepare(rich, null)).rejects.toMatchObject(money);
    }
    const [native = ''] = on.chain.assets;
    const all = await on.chain.balanceOf(on.chain.wallet, native);
    const kept = await on.sender.reserveUnits(on.chain.wallet);
    const order = await on.orderOf({ units: all - kept });
    await expect(on.sender.prepare(order, null)).rejects.toMatchObject(money);
  });

  test('G9: what a wallet has and must keep pays neither an amount nor a fee', async () => {
    if (on.sender.capabilities.hotWalletPaysFees) return;
    const [native = ''] = on.chain.assets;
    const refused = async (changes: Change<SendingOrder>, own: OwnMoney): Promise<void> =>
      expect(on.sender.prepare({ ...(await on.orderOf(changes)), own }, null)).rejects.toMatchObject({
        name: 'SendingRefused',
        because: 'money',
      });
    const held = await on.chain.balanceOf(on.chain.wallet, native);
    for (const asset of on.chain.assets) await refused({ asset }, { keptUnits: held + 1n, mostUnits: null });
    await refused({}, { keptUnits: held - on.chain.units + 1n, mostUnits: null });
    await refused({}, { keptUnits: 0n, mostUnits: on.chain.units - 1n });
    const order = await on.orderOf();
    const needed = on.chain.units + (await on.sender.prepare(order, null)).maxFeeUnits;
    for (const own of [
      { keptUnits: held - needed, mostUnits: null },
      { keptUnits: 0n, mostUnits: needed },
    ])
      expect((await on.sender.prepare({ ...order, own }, null)).maxFeeUnits).toBeLessThanOrEqual(
        needed - on.chain.units,
      );
  });

  test('what takes none of the coin is prepared, however much of what the wallet must keep is missing', async () => {
    if (on.chain.delegate === undefined) return;
    const [native = '', ...tokens] = on.chain.assets;
    const held = await on.chain.balanceOf(on.chain.wallet, native);
    const none = { keptUnits: held + 1n, mostUnits: null };
    const orders = await Promise.all(tokens.map((asset) => on.orderOf({ asset })));
    const prepared = (order: SendingOrder) => on.sender.prepare({ ...order, own: none }, null);
    await on.chain.delegate(true);
    for (const order of orders) expect(await prepared(order)).toMatchObject({ payload: expect.anything() });
    await expect(prepared(await on.orderOf())).rejects.toMatchObject({ because: 'money' });
    await on.chain.delegate(false);
    for (const order of orders) await expect(prepared(order)).rejects.toMatchObject({ because: 'money' });
  });

  test('while no node answers every question is ChainUnavailable, and nothing has expired', async () => {
    const order = await on.orderOf();
    const transaction = await on.signed(order);
    const { block } = await on.sender.balances(order.wallet, on.chain.assets);
    await on.chain.pass(transaction.validUntil!);
    await on.chain.settle();
    await on.chain.outage(true);
    for (const question of [
      () => on.sender.prepare(order, null),
      () => on.sender.broadcast(transaction.raw),
      () => on.outcomeOf(order, transaction),
      () => on.sender.balances(order.wallet, on.chain.assets),
    ])
      await expect(question()).rejects.toThrow(ChainUnavailable);
    expect(await on.sender.onChain(block)).toBeNull();
    await on.chain.outage(false);
    expect(await on.sender.onChain(block)).toBe(true);
    expect(await on.outcomeOf(order, transaction)).toEqual({ kind: 'expired' });
  });
}
