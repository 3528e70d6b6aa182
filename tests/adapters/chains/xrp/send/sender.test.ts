/**
 * The XRP sender keeps the contract of senders whose transactions expire, and refuses what the
 * ledger would only take a fee for.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readSigned } from '../../../../../src/adapters/chains/xrp/codec/transaction.ts';
import { describeExpiringSender } from '../../../../contracts/sending/expiring-sender.ts';
import { PUBLIC_RIPPLED } from '../../../../support/providers/plans.ts';
import { changed } from '../../../../support/utxo/lone-orders.ts';
import { ASSET, accountNumber, openXrpStage, XRP, type XrpStage } from '../../../../support/xrp/stage.ts';

for (const [confirmations, plan] of [
  [1, null],
  [3, PUBLIC_RIPPLED],
] as const)
  describeExpiringSender(
    `xrp, ${confirmations} validated ledgers${plan === null ? '' : `, behind ${plan.name}`}`,
    async () => (await openXrpStage({ confirmations, plan })).case,
    { counted: true },
  );

describe('xrp sender', () => {
  let stage: XrpStage;
  beforeAll(async () => {
    stage = await openXrpStage();
    stage.lab.account('recipient');
  });
  beforeEach(() => {
    stage.lab.nodes[0]!.behave({});
    stage.lab.network.charge(10n);
    stage.lab.network.close();
  });
  afterAll(() => stage.close());

  test('a payment in a ledger that is not validated waits, and is final with the validation', async () => {
    const order = await stage.steps.orderOf();
    const transaction = await stage.steps.sent(order);
    stage.lab.network.close(1, { validate: false });
    expect(await stage.steps.outcomeOf(order, transaction)).toEqual({
      kind: 'waiting',
      txid: transaction.txid,
    });
    stage.lab.network.validate();
    expect(await stage.steps.minedOf(order, transaction)).toMatchObject({ effects: [true], final: true });
  });

  const undone = (reason: RegExp) => ({
    name: 'SendingRefused',
    because: 'undone',
    message: expect.stringMatching(reason),
  });
  const prepared = async (to: string, units = 2n * XRP) =>
    stage.sender.prepare(await stage.steps.orderOf({ to, units }), null);
  const settings = (name: string, SetFlag: number) => {
    stage.lab.account(name);
    stage.lab.sendAndClose(name, { TransactionType: 'AccountSet', SetFlag });
  };

  test('a payment goes to a classic address, to one with a tag, and to an X-address, as ordered', async () => {
    const recipient = stage.lab.account('recipient');
    const forms = [
      { to: recipient, tag: null },
      { to: `${recipient}:0`, tag: 0 },
      { to: `${recipient}:4294967295`, tag: 4_294_967_295 },
      { to: stage.signing.normalize(`${recipient}:77`)!, tag: 77 },
    ];
    for (const { to, tag } of forms) {
      const order = await stage.steps.orderOf({ to });
      const transaction = await stage.steps.sent(order);
      expect(readSigned(transaction.raw)!.content).toMatchObject({ to: { account: recipient, tag } });
      stage.lab.network.close();
      expect(await stage.steps.minedOf(order, transaction)).toMatchObject({ effects: [true], final: true });
      expect(stage.lab.last().transactions[0]?.tx.DestinationTag).toBe(tag ?? undefined);
    }
  });

  test('an account that is not funded must get the base reserve first', async () => {
    await expect(prepared(accountNumber(77), XRP - 1n)).rejects.toMatchObject(
      undone(/not funded.*1000000 drops/),
    );
    expect((await prepared(accountNumber(77), XRP)).maxFeeUnits).toBe(12n);
    stage.lab.pay(accountNumber(77), XRP);
    stage.lab.network.close();
    expect((await prepared(accountNumber(77), 1n)).maxFeeUnits).toBe(12n);
  });

  test('a recipient that requires a tag gets none without one', async () => {
    settings('exchange', 1);
    const exchange = stage.lab.account('exchange');
    await expect(prepared(exchange)).rejects.toMatchObject(undone(/requires a destination tag/));
    expect((await prepared(`${exchange}:0`)).maxFeeUnits).toBe(12n);
  });

  test('a recipient that takes deposits of nobody else is refused, whatever the tag', async () => {
    settings('hermit', 9);
    await expect(prepared(`${stage.lab.account('hermit')}:5`)).rejects.toMatchObject(
      undone(/senders that it authorized/),
    );
  });

  test('ourselves, accounts of nobody, accounts of the ledger itself and what is no address are refused', async () => {
    for (const to of [stage.hot, `${stage.hot}:7`])
      await expect(prepared(to)).rejects.toMatchObject(undone(/the sender itself/));
    for (const to of ['rrrrrrrrrrrrrrrrrrrrrhoLvTp', 'rrrrrrrrrrrrrrrrrrrrBZbvji:1'])
      await expect(prepared(to)).rejects.toMatchObject(undone(/nobody's account/));
    for (const to of ['', 'r', 'TVE26TYGhfLC7tQDno7G8dGtxSkYQn49b3qD26PK7FcGSKE'])
      await expect(prepared(to)).rejects.toMatchObject(undone(/not an address/));
    const pool = stage.lab.account('pool');
    stage.lab.nodes[0]!.behave({
      answer: (method, result, { account }) =>
        method === 'account_info' && account === pool
          ? { ...result, account_data: { ...(result.account_data as object), AMMID: 'A'.repeat(64) } }
          : undefined,
    });
    await expect(prepared(pool)).rejects.toMatchObject(undone(/belongs to the ledger/));
  });

  test('what the wallet owns raises what it must keep', async () => {
    const { sender, wallet } = stage;
    expect(await sender.reserveUnits(wallet)).toBe(XRP);
    expect(await sender.reserveUnits(stage.case.poorWallet)).toBe(0n);
    const owner = stage.lab.account('owner', 10n * XRP);
    const issuer = stage.lab.account('issuer');
    for (const currency of ['USD', 'EUR'])
      stage.lab.sendAndClose('owner', {
        TransactionType: 'TrustSet',
        LimitAmount: { currency, issuer, value: '9' },
      });
    expect(await sender.reserveUnits(owner)).toBe(1_400_000n);
    const order = await stage.steps.orderOf({ wallet: owner, units: 10n * XRP - 1_400_000n });
    await expect(sender.prepare(order, null)).rejects.toMatchObject({ because: 'money' });
  });

  test('the fee follows the open ledger between floor and ceiling, and above the ceiling nothing is sent', async () => {
    const fee = async () => (await prepared(stage.lab.account('recipient'))).maxFeeUnits;
    for (const [open, expected] of [
      [1n, 12n],
      [10n, 12n],
      [5_000n, 6_000n],
      [83_333n, 100_000n],
    ] as const) {
      stage.lab.network.charge(open);
      expect(await fee()).toBe(expected);
      const price = await stage.sender.price({ asset: ASSET, to: null });
      expect([price.expectedUnits, price.maxUnits >= expected]).toEqual([expected, true]);
    }
    stage.lab.network.charge(83_334n);
    await expect(fee()).rejects.toMatchObject({ name: 'SendingRefused', because: 'fees' });
    const generous = stage.open({ fees: { floor: 50n, ceiling: XRP } });
    const order = await stage.steps.orderOf();
    expect((await generous.prepare(order, null)).maxFeeUnits).toBe(100_001n);
    stage.lab.network.charge(10n);
    expect((await generous.prepare(order, null)).maxFeeUnits).toBe(50n);
  });

  test('a transaction that only takes its fee is mined without effect, and its sequence is used', async () => {
    const recipient = stage.lab.account('fickle');
    const order = await stage.steps.orderOf({ to: recipient });
    const transaction = await stage.steps.signed(order);
    settings('fickle', 1);
    const before = stage.lab.balanceOf(stage.hot);
    await stage.sender.broadcast(transaction.raw);
    stage.lab.network.close();
    const { effects, unfunded, feeUnits } = await stage.steps.minedOf(order, transaction);
    expect(stage.lab.last().transactions[0]?.meta.TransactionResult).toBe('tecDST_TAG_NEEDED');
    expect({ effects, unfunded, lost: before - stage.lab.balanceOf(stage.hot) }).toEqual({
      effects: [false],
      unfunded: [false],
      lost: feeUnits,
    });
    expect(await stage.sender.nextNonce(stage.wallet)).toBe(order.nonce + 1n);
  });

  test('G6: a payment that the wallet cannot pay any more when a ledger takes it is told as that', async () => {
    const units = (stage.lab.balanceOf(stage.hot) * 6n) / 10n;
    const first = await stage.steps.orderOf({ units });
    const second = { ...first, nonce: first.nonce + 1n };
    const [paid, unpaid] = [await stage.steps.signed(first), await stage.steps.signed(second)];
    for (const { raw } of [paid, unpaid]) await stage.sender.broadcast(raw);
    stage.lab.network.close();
    expect(await stage.steps.minedOf(first, paid)).toMatchObject({ effects: [true], unfunded: [false] });
    expect(await stage.steps.minedOf(second, unpaid)).toMatchObject({ effects: [false], unfunded: [true] });
    stage.lab.network.fund(stage.hot, units);
  });

  test('what voids a payment changes no setting; what is paid to nobody else requires tags from then on, and can be repeated', async () => {
    const given = await stage.steps.orderOf({ voids: true });
    const voiding = await stage.steps.sent(given);
    stage.lab.network.close();
    expect(await stage.steps.minedOf(given, voiding)).toMatchObject({ effects: [false] });
    expect(stage.lab.last().transactions[0]?.tx.SetFlag).toBeUndefined();
    expect(await stage.sender.isSetUp?.(stage.wallet)).toBe(false);
    expect(await stage.sender.isSetUp?.(stage.case.poorWallet)).toBeNull();
    for (let times = 0; times < 2; times++) {
      const order = await stage.steps.orderOf({ voids: true, to: stage.hot });
      const transaction = await stage.steps.sent(order);
      stage.lab.network.close();
      expect(await stage.steps.minedOf(order, transaction)).toMatchObject({ effects: [false] });
      expect(stage.lab.last().transactions[0]?.tx).toMatchObject({
        TransactionType: 'AccountSet',
        SetFlag: 1,
      });
    }
    expect(await stage.sender.isSetUp?.(stage.wallet)).toBe(true);
    const unmarked = { TransactionType: 'Payment', Destination: stage.hot, Amount: '5' };
    expect(stage.lab.sendAndClose('payer', unmarked).result).toBe('tecDST_TAG_NEEDED');
  });

  test('ten transactions wait at a time, in the order of their sequences', async () => {
    const first = await stage.steps.orderOf();
    const orders = Array.from({ length: stage.sender.capabilities.batchesAtOnce }, (_, position) =>
      changed(first, { nonce: first.nonce + BigInt(position), to: accountNumber(500 + position) }),
    );
    const transactions = [];
    for (const order of orders) transactions.push(await stage.steps.signed(order));
    for (const { raw } of transactions.toReversed())
      expect(await stage.sender.broadcast(raw)).toEqual({ kind: 'accepted' });
    stage.lab.network.close();
    for (const [position, order] of orders.entries())
      expect(await stage.steps.minedOf(order, transactions[position]!)).toMatchObject({ effects: [true] });
  });

  test('balance and sequence are those of the ledger that was asked for', async () => {
    const before = await stage.sender.balances(stage.wallet, [ASSET]);
    const next = await stage.sender.nextNonce(stage.wallet);
    await stage.steps.sent(await stage.steps.orderOf());
    stage.lab.network.close(3);
    const { height } = before.block;
    expect(await stage.sender.balances(stage.wallet, [ASSET], { height })).toEqual(before);
    expect(await stage.sender.nextNonce(stage.wallet, before.block)).toBe(next);
    expect(await stage.sender.nextNonce(stage.wallet)).toBe(next + 1n);
  });

  test('stored bytes of another sequence or account, and bytes that are no transaction, are a fault', async () => {
    const order = await stage.steps.orderOf();
    const transaction = await stage.steps.signed(order);
    const other = { ...order, nonce: order.nonce + 1n };
    await expect(stage.steps.outcomeOf(other, transaction)).rejects.toThrow(
      /of another transaction, sequence or account/,
    );
    await expect(stage.sender.broadcast(transaction.raw.slice(2))).rejects.toThrow(/stored bytes/);
    await expect(stage.sender.broadcast(transaction.raw.toLowerCase())).rejects.toThrow(/stored bytes/);
  });
});
