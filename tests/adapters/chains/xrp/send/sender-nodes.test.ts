/**
 * Sending on the XRP Ledger when nodes lag, forget, remember too much, or disagree: nothing is paid
 * twice for it.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { ChainUnavailable } from '../../../../../src/ports/chains/chain-scanner.ts';
import type { SendingOrder } from '../../../../../src/ports/sending/chain-sender.ts';
import type { ExpiringSigned } from '../../../../contracts/sending/expiring-sender-steps.ts';
import type { Answer, XrpNode } from '../../../../support/xrp/node.ts';
import { openXrpStage, XRP, type XrpStage } from '../../../../support/xrp/stage.ts';

describe('sending on nodes that are not alike', () => {
  let stage: XrpStage;
  let first: XrpNode;
  let second: XrpNode;
  beforeAll(async () => {
    stage = await openXrpStage({ nodes: 2 });
    [first, second] = stage.lab.nodes as [XrpNode, XrpNode];
    stage.lab.account('recipient');
  });
  beforeEach(() => {
    first.behave({});
    second.behave({});
    stage.lab.network.drop();
    stage.lab.network.close();
  });
  afterAll(() => stage.close());

  /** Signed, never taken, and past its last ledger. */
  async function dead(): Promise<{ order: SendingOrder; transaction: ExpiringSigned }> {
    const order = await stage.steps.orderOf();
    const transaction = await stage.steps.sent(order);
    stage.lab.network.drop();
    await stage.case.pass(transaction.validUntil!);
    await stage.case.settle();
    return { order, transaction };
  }
  const outcome = ({ order, transaction }: Awaited<ReturnType<typeof dead>>) =>
    stage.steps.outcomeOf(order, transaction);

  test('a transaction is dead only when every node that answers is past its last ledger', async () => {
    const lost = await dead();
    second.behave({ lag: 5 });
    expect(await outcome(lost)).toEqual({ kind: 'unseen' });
    second.behave({ down: true });
    expect(await outcome(lost)).toEqual({ kind: 'expired' });
    second.behave({ refuse: (method) => (method === 'tx' ? 'internal' : undefined) });
    expect(await outcome(lost)).toEqual({ kind: 'unseen' });
    second.behave({});
    expect(await outcome(lost)).toEqual({ kind: 'expired' });
  });

  test('at the very last ledger it is not dead yet', async () => {
    const order = await stage.steps.orderOf();
    const transaction = await stage.steps.signed(order);
    stage.lab.network.close(Number(transaction.validUntil) - stage.lab.last().index);
    expect(await stage.steps.outcomeOf(order, transaction)).toEqual({ kind: 'unseen' });
    stage.lab.network.close();
    expect(await stage.steps.outcomeOf(order, transaction)).toEqual({ kind: 'expired' });
  });

  test('without a node that has the whole history nothing is dead', async () => {
    const lost = await dead();
    const gap = Number(lost.transaction.validUntil) - 3;
    const keeps = (index: number): boolean => index !== gap;
    first.behave({ keeps });
    second.behave({ keeps });
    expect(await outcome(lost)).toEqual({ kind: 'unseen' });
    second.behave({});
    expect(await outcome(lost)).toEqual({ kind: 'expired' });
  });

  test('a node that cannot say that it searched all is believed by its list of ledgers', async () => {
    const lost = await dead();
    for (const node of [first, second]) node.behave({ unsure: true });
    expect(await outcome(lost)).toEqual({ kind: 'expired' });
  });

  test('what nodes still remember is dead all the same', async () => {
    const lost = await dead();
    first.behave({ remembers: true });
    second.behave({ remembers: true });
    expect(await outcome(lost)).toEqual({ kind: 'expired' });
    expect(await stage.sender.broadcast(lost.transaction.raw)).toMatchObject({ kind: 'refused' });
  });

  test('a payment in a ledger that one node has lost is final by the node that keeps it, and never dead or superseded', async () => {
    const order = await stage.steps.orderOf();
    const transaction = await stage.steps.sent(order);
    stage.lab.network.close();
    const taken = stage.lab.last().index;
    await stage.case.pass(transaction.validUntil!);
    await stage.case.settle();
    const keeps = (index: number): boolean => index !== taken;
    second.behave({ keeps });
    expect(await stage.steps.minedOf(order, transaction)).toMatchObject({ final: true, effects: [true] });
    first.behave({ keeps });
    expect(await stage.steps.outcomeOf(order, transaction)).toEqual({ kind: 'unseen' });
    first.behave({});
    second.behave({});
    expect(await stage.steps.minedOf(order, transaction)).toMatchObject({ final: true, effects: [true] });
  });

  test('A3: a node that keeps the ledger and does not find the payment in it, or sees its sequence unused, leaves it open', async () => {
    const order = await stage.steps.orderOf();
    const transaction = await stage.steps.sent(order);
    stage.lab.network.close();
    await stage.case.pass(transaction.validUntil!);
    await stage.case.settle();
    const hides = (method: string) => (method === 'tx' ? 'txnNotFound' : undefined);
    second.behave({ refuse: hides });
    expect(await stage.steps.minedOf(order, transaction)).toMatchObject({ final: false });
    const unused = (method: string, result: Answer) =>
      method === 'account_info'
        ? {
            ...result,
            account_data: { ...(result.account_data as object), Sequence: Number(order.nonce) },
          }
        : undefined;
    second.behave({ refuse: hides, keeps: () => false, answer: unused });
    expect(await stage.steps.minedOf(order, transaction)).toMatchObject({ final: false });
  });

  test('A3: nodes that tell different ledgers or results of a payment leave it open', async () => {
    const order = await stage.steps.orderOf();
    const transaction = await stage.steps.sent(order);
    stage.lab.network.close();
    for (const change of [{ ledger_hash: 'C'.repeat(64) }, { meta: { TransactionResult: 'tecPATH_DRY' } }]) {
      second.behave({ answer: (method, result) => (method === 'tx' ? { ...result, ...change } : undefined) });
      expect(await stage.steps.minedOf(order, transaction)).toMatchObject({ final: false });
    }
  });

  test('one node takes the bytes: that is enough, and the highest sequence of all nodes counts', async () => {
    const order = await stage.steps.orderOf();
    const transaction = await stage.steps.signed(order);
    first.behave({ refuse: (method) => (method === 'submit' ? 'notReady' : undefined) });
    expect(await stage.sender.broadcast(transaction.raw)).toEqual({ kind: 'accepted' });
    stage.lab.network.close();
    first.behave({ lag: 1 });
    expect(await stage.sender.nextNonce(stage.wallet)).toBe(order.nonce + 1n);
  });

  test('what no node takes is refused with the reason, and stays valid', async () => {
    const order = await stage.steps.orderOf();
    const transaction = await stage.steps.signed(order);
    stage.lab.network.charge(500n);
    expect(await stage.sender.broadcast(transaction.raw)).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/telINSUF_FEE_P/),
    });
    stage.lab.network.charge(10n);
    expect(await stage.sender.broadcast(transaction.raw)).toEqual({ kind: 'accepted' });
  });

  test('a recipient that one node calls impossible is given up only when all do', async () => {
    const recipient = stage.lab.account('recipient');
    const order = await stage.steps.orderOf({ to: recipient, units: XRP / 2n });
    const hides = (_: string, { account }: Readonly<Record<string, unknown>>) =>
      account === recipient ? 'actNotFound' : undefined;
    first.behave({ refuse: hides });
    await expect(stage.sender.prepare(order, null)).rejects.toMatchObject({ because: 'unclear' });
    second.behave({ refuse: hides });
    await expect(stage.sender.prepare(order, null)).rejects.toMatchObject({ because: 'undone' });
  });

  test('the reserve is told by a server that has no server_state, as Clio', async () => {
    const reserve = await stage.sender.reserveUnits(stage.wallet);
    const clio = (method: string) => (method === 'server_state' ? 'unknownCmd' : undefined);
    for (const node of [first, second]) node.behave({ refuse: clio });
    expect(await stage.sender.reserveUnits(stage.wallet)).toBe(reserve);
    await stage.steps.signed(await stage.steps.orderOf());
  });

  test('a node that tells a ledger far ahead of the other one writes no transaction, which would not expire', async () => {
    const order = await stage.steps.orderOf();
    const ahead =
      (by: number, seconds = 0) =>
      (method: string, result: Answer) => {
        const ledger = result.ledger as Record<string, unknown>;
        if (method !== 'ledger') return undefined;
        const told = Number(ledger.ledger_index) + by;
        const close_time = Number(ledger.close_time) + seconds;
        return { ...result, ledger_index: told, ledger: { ...ledger, ledger_index: told, close_time } };
      };
    const limit = BigInt(stage.lab.last().index + 20);
    first.behave({ answer: ahead(1_000_000) });
    expect((await stage.sender.prepare(order, null)).validUntil).toBe(limit);
    // It may be that the other one stands still: as much time as ledgers has passed, or it cannot
    // be asked.
    first.behave({ answer: ahead(1_000, 4_000) });
    expect((await stage.sender.prepare(order, null)).validUntil).toBe(limit + 1_000n);
    first.behave({});
    second.behave({ lag: 15 });
    expect((await stage.sender.prepare(order, null)).validUntil).toBe(limit);
  });

  test('what is signed after a dead transaction is never written by a node that lags behind it', async () => {
    const lost = await dead();
    first.behave({ lag: 30 });
    const again = await stage.steps.signed(lost.order, lost.transaction);
    expect(again.validUntil!).toBeGreaterThan(lost.transaction.validUntil!);
    second.behave({ lag: 30 });
    await expect(stage.sender.prepare(lost.order, lost.transaction)).rejects.toThrow(ChainUnavailable);
  });
});
