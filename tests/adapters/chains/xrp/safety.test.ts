/**
 * safety.md X1 to X6 on the test network: what reaches the account, and what of it the scanner
 * calls a payment.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { xAddress } from '../../../../src/adapters/chains/xrp/codec/address.ts';
import { xrpNetwork } from '../../../../src/adapters/chains/xrp/network.ts';
import { xrpScanner } from '../../../../src/adapters/chains/xrp/read/scanner.ts';
import type { ChainScanner, Transfer } from '../../../../src/ports/chains/chain-scanner.ts';
import { watching } from '../../../support/chains/watch-list.ts';
import { recordingLogger } from '../../../support/evm/evm-lab.ts';
import { openXrpLab, type XrpLab } from '../../../support/xrp/lab.ts';
import { objectId } from '../../../support/xrp/object-rules.ts';

const PARTIAL_PAYMENT = 0x0002_0000;
const TAG = 2_718_281_829;
const XRP = 1_000_000n;

describe('safety of XRP deposits', () => {
  let lab: XrpLab;
  let scanner: ChainScanner;
  let hot: string;
  let issuer: string;

  beforeAll(() => {
    lab = openXrpLab();
    hot = lab.account('hot');
    issuer = lab.account('issuer', 100_000_000n * XRP);
    lab.account('thief');
    scanner = xrpScanner({
      ...{ chain: 'xrp', network: xrpNetwork('main'), account: hot, asset: 'xrp_xrp', confirmations: 1 },
      ...{ rpc: lab.urls, logger: recordingLogger(), timing: { coolDownMs: 1 } },
    });
  });
  beforeEach(() => lab.nodes[0]!.behave({}));
  afterAll(async () => {
    await scanner.close();
    await lab.close();
  });

  const addressOf = (tag: number | null): string => xAddress(xrpNetwork('main'), { account: hot, tag });
  /** What the last ledger brought, when the address of TAG was given out. */
  async function found(): Promise<readonly Transfer[]> {
    const { index } = lab.last();
    const watch = watching([addressOf(TAG), addressOf(null)]);
    return (await scanner.blocks({ from: index, to: index }, watch)).flatMap(({ transfers }) => transfers);
  }
  const usd = (value: string) => ({ currency: 'USD', issuer, value });
  const paid = (fields: object) => ({
    TransactionType: 'Payment',
    Destination: hot,
    DestinationTag: TAG,
    ...fields,
  });

  function trustLine(name: string, value: string, currency = 'USD'): void {
    const LimitAmount = { ...usd('1000000000'), currency };
    lab.sendAndClose(name, { TransactionType: 'TrustSet', LimitAmount });
    const Amount = { ...usd(value), currency };
    if (value !== '0')
      lab.sendAndClose('issuer', { TransactionType: 'Payment', Destination: lab.account(name), Amount });
  }

  test('X1: a partial payment is credited with what it delivered, not with its amount', async () => {
    trustLine('thief', '1');
    // A million XRP for a million dollars, of which the thief has one millionth of a dollar to
    // spend.
    lab.sendAndClose('issuer', {
      TransactionType: 'OfferCreate',
      TakerGets: '1000000000000',
      TakerPays: usd('1000000'),
    });
    const { txid, result } = lab.sendAndClose(
      'thief',
      paid({ Amount: '1000000000000', SendMax: usd('0.000001'), Flags: PARTIAL_PAYMENT }),
    );
    expect(result).toBe('tesSUCCESS');
    expect(lab.last().transactions[0]?.tx.Amount).toBe('1000000000000');
    expect(await found()).toEqual([
      {
        txid,
        output: 'native',
        asset: 'xrp_xrp',
        to: addressOf(TAG),
        from: lab.account('thief'),
        units: 1n,
        kind: 'payment',
      },
    ]);
  });

  test('X2: a delivered amount that is missing or unavailable is parked, with what the balance shows', async () => {
    lab.pay(addressOf(TAG), 3n * XRP);
    lab.network.close();
    for (const delivered_amount of [undefined, 'unavailable']) {
      lab.nodes[0]!.behave({
        answer: (method, result) =>
          method === 'account_tx' ? withDelivered(result, delivered_amount) : undefined,
      });
      expect(await found()).toMatchObject([
        { output: `balance:${hot}`, to: addressOf(TAG), units: 3n * XRP, kind: 'unexplained' },
      ]);
    }
  });

  test('X3: a payment that only took its fee is nothing, and one that is not validated is nothing yet', async () => {
    const tooMuch = lab.sendAndClose('thief', paid({ Amount: (10n ** 15n).toString() }));
    expect(tooMuch.result).toBe('tecUNFUNDED_PAYMENT');
    expect(await found()).toEqual([]);
    lab.pay(addressOf(TAG), 5n * XRP);
    lab.network.close(1, { validate: false });
    const { index } = lab.last();
    expect((await scanner.head()).tip.height).toBe(index - 1);
    await expect(found()).rejects.toThrow('has no ledger');
    lab.network.validate();
    expect(await found()).toMatchObject([{ units: 5n * XRP, kind: 'payment' }]);
  });

  test('X4: an issued currency is nothing, whatever it is called', async () => {
    trustLine('hot', '0');
    trustLine('thief', '5000');
    const { result } = lab.sendAndClose('thief', paid({ Amount: usd('4000') }));
    expect(result).toBe('tesSUCCESS');
    expect(await found()).toEqual([]);
    // The codec writes no currency XRP: a node that claims one is not believed either.
    lab.nodes[0]!.behave({
      answer: (method, answer) =>
        method === 'account_tx'
          ? withDelivered(answer, { currency: 'XRP', issuer, value: '4000' })
          : undefined,
    });
    expect(await found()).toEqual([]);
  });

  test('X5: a tag that is missing, unknown, 0 or 2^32 - 1 is told as paid to the bare account; 0 is a tag', async () => {
    for (const tag of [null, 12_345, 0, 4_294_967_295]) {
      const txid = lab.pay(addressOf(tag), 2n * XRP);
      lab.network.close();
      expect(await found()).toMatchObject([{ txid, to: addressOf(null), units: 2n * XRP, kind: 'payment' }]);
    }
    expect(addressOf(0)).not.toBe(addressOf(null));
    const zero = watching([addressOf(0)]);
    const { index } = lab.last();
    lab.pay(addressOf(0), XRP);
    lab.pay(addressOf(null), XRP);
    lab.network.close();
    const blocks = await scanner.blocks({ from: index + 1, to: index + 1 }, zero);
    expect(blocks[0]!.transfers).toMatchObject([{ to: addressOf(0) }]);
  });

  test('X6: an escrow that somebody finishes is parked', async () => {
    const escrow = { Destination: hot, DestinationTag: TAG, Amount: (7n * XRP).toString(), FinishAfter: 1 };
    lab.sendAndClose('payer', { TransactionType: 'EscrowCreate', ...escrow });
    expect(await found()).toEqual([]);
    const { Account: Owner, Sequence: OfferSequence } = lab.last().transactions[0]!.tx;
    const { txid, result } = lab.sendAndClose('thief', {
      TransactionType: 'EscrowFinish',
      Owner,
      OfferSequence,
    });
    expect(result).toBe('tesSUCCESS');
    expect(await found()).toEqual([
      {
        ...{
          txid,
          output: `balance:${hot}`,
          asset: 'xrp_xrp',
          to: addressOf(null),
          from: lab.account('thief'),
        },
        ...{ units: 7n * XRP, kind: 'unexplained' },
      },
    ]);
  });

  test('X6: a check that our account cashes is parked with what it brought, its own fee taken off', async () => {
    lab.sendAndClose('payer', {
      TransactionType: 'CheckCreate',
      Destination: hot,
      SendMax: (9n * XRP).toString(),
    });
    const { Account, Sequence } = lab.last().transactions[0]!.tx;
    const CheckID = objectId('C', Account, Sequence);
    const { result } = lab.sendAndClose('hot', {
      TransactionType: 'CheckCash',
      CheckID,
      Amount: (9n * XRP).toString(),
    });
    expect(result).toBe('tesSUCCESS');
    expect(await found()).toMatchObject([
      { to: addressOf(null), units: 9n * XRP - 10n, kind: 'unexplained' },
    ]);
  });

  test('X6: an account that is deleted in our favour is parked, even with the tag of an invoice', async () => {
    const leaving = lab.account('leaving', 50n * XRP);
    lab.network.close(300);
    const { result } = lab.sendAndClose('leaving', {
      ...{ TransactionType: 'AccountDelete', Destination: hot, DestinationTag: TAG, Fee: '200000' },
    });
    expect(result).toBe('tesSUCCESS');
    expect(lab.last().world.accounts.has(leaving)).toBe(false);
    expect(lab.last().transactions[0]?.meta.delivered_amount).toBe('49800000');
    expect(await found()).toMatchObject([{ to: addressOf(TAG), units: 49_800_000n, kind: 'unexplained' }]);
  });

  test('every balance change of the account is told, or is a payment of our own', async () => {
    const ledgers = lab.network.ledgers.slice(1);
    const watch = watching([addressOf(TAG), addressOf(null)]);
    for (const { index, parentHash, world } of ledgers) {
      const before = lab.network.ledgers.find(({ hash }) => hash === parentHash)!;
      const change =
        (world.accounts.get(hot)?.balance ?? 0n) - (before.world.accounts.get(hot)?.balance ?? 0n);
      const [block] = await scanner.blocks({ from: index, to: index }, watch);
      const told = block!.transfers.reduce((sum, { units }) => sum + units, 0n);
      const own = lab.network.ledgers
        .find((ledger) => ledger.index === index)!
        .transactions.some(({ tx }) => tx.Account === hot);
      const funded = before.world.accounts.get(hot) === undefined;
      if (!own && !funded) expect(told).toBe(change > 0n ? change : 0n);
    }
  });
});

/** The same list, in which every transaction tells another delivered amount. */
function withDelivered(result: Readonly<Record<string, unknown>>, delivered_amount: unknown): unknown {
  const listed = result.transactions as readonly { meta: object }[];
  const transactions = listed.map((transaction) => ({
    ...transaction,
    meta: { ...transaction.meta, delivered_amount },
  }));
  return { ...result, transactions };
}
