/**
 * Anybody can send to the hot wallet, and recipients may be exchanges: accounts with more
 * transactions than are read at once must not keep a payout of TON from its end. The API gives one
 * transaction a page here, so that a piece of a history is thirty.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { ChainUnavailable } from '../../../../../src/ports/chains/chain-scanner.ts';
import type {
  ChainSender,
  SendingOrder,
  SentTransaction,
} from '../../../../../src/ports/sending/chain-sender.ts';
import { payableContract } from '../../../../support/ton/small-contracts.ts';
import { NATIVE, type TonLab, USDT } from '../../../../support/ton/ton-lab.ts';
import { fundHotWallet, openSendingLab, type SendingLab } from '../../../../support/ton/ton-sending.ts';
import { sendingOrder } from '../../../../support/utxo/lone-orders.ts';

const PAGE = 1;
const PIECE = 30;

let on: SendingLab;
let lab: TonLab;
let sender: ChainSender;
beforeAll(async () => {
  on = await openSendingLab();
  lab = on.lab;
  await fundHotWallet(on);
});
beforeEach(() => {
  lab.server.behave(smallPages());
  sender = on.sender();
});
afterAll(() => lab.close());

const smallPages = (refused = '') => ({
  refuse: (method: string) => method === refused,
  answer: (method: string, _: unknown, result: unknown) =>
    method === 'getTransactions' ? (result as unknown[]).slice(0, PAGE) : undefined,
});

interface Sent {
  readonly order: SendingOrder;
  readonly transaction: SentTransaction;
}

async function sent(payment: { asset?: string; to: string; units?: bigint }): Promise<Sent> {
  const { asset = NATIVE, to, units = 10_000n } = payment;
  const nonce = await sender.nextNonce(lab.hotWallet);
  const order = sendingOrder({ wallet: lab.hotWallet, nonce, asset, voids: false, to, units });
  const unsigned = await sender.prepare(order, null);
  const transaction = { ...(await on.sign(order, unsigned)), ...unsigned, voids: false };
  await sender.broadcast(transaction.raw);
  await lab.mine(1);
  return { order, transaction };
}

const outcomeOf = ({ order, transaction }: Sent, by = sender) => {
  const { wallet, nonce } = order;
  return by.outcome({ wallet, nonce, order, inputs: [], transactions: [transaction] });
};

/** Asked until it is told; answers how often that was. */
async function toldAfter(request: Sent, by: ChainSender) {
  for (let times = 1; times < 20; times += 1) {
    const told = await outcomeOf(request, by).catch((error: unknown) => error);
    if (!(told instanceof Error)) return { times, told };
    expect(told).toBeInstanceOf(ChainUnavailable);
    expect(told.message).toContain('is to be read than at once');
  }
  throw new Error('it is never told');
}

async function dust(to: string, { blocks, each }: { blocks: number; each: number }): Promise<void> {
  for (let block = 0; block < blocks; block += 1) {
    for (let count = 0; count < each; count += 1) lab.pay({ to, units: 1n });
    await lab.mine(1);
  }
}
const MUCH = { blocks: 3, each: PIECE };

describe('a payout of a hot wallet that more messages came to than are read at once', () => {
  test('is found, and comes to its end: at once by who knows it already, piece by piece by who does not', async () => {
    const request = await sent({ to: lab.strangersAddress(1) });
    const end = { kind: 'mined', final: true, effects: [true] };
    expect(await outcomeOf(request)).toMatchObject(end);
    await dust(lab.hotWallet, MUCH);
    expect(await outcomeOf(request)).toMatchObject(end);
    const restarted = on.sender();
    expect(await toldAfter(request, restarted)).toMatchObject({ times: 4, told: end });
    expect(await toldAfter(request, restarted)).toMatchObject({ times: 1, told: end });
    await restarted.close();
    await sender.close();
  });

  test('is found while more of them come than a piece holds between two questions', async () => {
    const request = await sent({ to: lab.strangersAddress(2) });
    await dust(lab.hotWallet, MUCH);
    const restarted = on.sender();
    for (let times = 1; times < 4; times += 1) {
      await expect(outcomeOf(request, restarted)).rejects.toThrow(ChainUnavailable);
      await dust(lab.hotWallet, { blocks: 2, each: PIECE });
    }
    expect(await outcomeOf(request, restarted)).toMatchObject({ kind: 'mined', final: true });
    await restarted.close();
    await sender.close();
  });

  test('is found at once where they came in the minutes before it was signed', async () => {
    await dust(lab.hotWallet, MUCH);
    const request = await sent({ to: lab.strangersAddress(3) });
    expect(await outcomeOf(request)).toMatchObject({ kind: 'mined', final: true, effects: [true] });
    lab.chain.wait(86_400);
    await lab.mine(1);
    const restarted = on.sender();
    expect(await outcomeOf(request, restarted)).toMatchObject({ kind: 'mined', final: true });
    await restarted.close();
    await sender.close();
  });

  test('of jettons ends with all that came back, to the nanoton', async () => {
    const before = lab.balanceOf(lab.hotWallet);
    const request = await sent({ asset: USDT, to: lab.strangersAddress(4) });
    await lab.chain.settle();
    const gone = before - lab.balanceOf(lab.hotWallet);
    await dust(lab.hotWallet, MUCH);
    const { told } = await toldAfter(request, sender);
    expect(told).toMatchObject({ kind: 'mined', final: true, effects: [true], feeUnits: gone });
    await sender.close();
  });

  test('is not superseded before all of the history was read', async () => {
    const request = await sent({ to: lab.strangersAddress(5) });
    const others = await sent({ to: lab.strangersAddress(6) });
    await dust(lab.hotWallet, MUCH);
    // Other bytes for the nonce of the first, which the second's order never was.
    const nonce = request.order.nonce;
    const order = { ...others.order, nonce };
    const unsigned = await sender.prepare(order, null);
    const never = { order, transaction: { ...(await on.sign(order, unsigned)), ...unsigned, voids: false } };
    const { times, told } = await toldAfter(never, sender);
    expect(told).toEqual({ kind: 'superseded' });
    expect(times).toBeGreaterThan(3);
    await sender.close();
  });
});

describe('a payout to the bounceable address of a contract that is paid often after it, where the API locates nothing', () => {
  async function paidOften(number: number, each: number): Promise<Sent> {
    const to = lab.strangersAddress(number);
    lab.place(lab.addressOf(to), payableContract());
    await lab.mine(1);
    const bounceable = lab.addressOf(to).toString({ bounceable: true });
    const request = await sent({ to: bounceable, units: 10_000_000n });
    await lab.chain.settle();
    await dust(to, { blocks: 11, each });
    lab.chain.wait(120);
    await lab.mine(1);
    lab.server.behave(smallPages('tryLocateResultTx'));
    return request;
  }

  test('comes to its end by what the recipient took in the seconds after it', async () => {
    const request = await paidOften(10, 4);
    expect(await outcomeOf(request)).toMatchObject({ kind: 'mined', effects: [true], final: true });
    await sender.close();
  });

  test('is told as mined where that is more than is read at once, and does not look like nodes that are away', async () => {
    const request = await paidOften(11, PIECE);
    expect(await outcomeOf(request)).toMatchObject({ kind: 'mined', effects: [true], final: false });
    lab.server.behave(smallPages());
    expect(await outcomeOf(request)).toMatchObject({ kind: 'mined', effects: [true], final: true });
    await sender.close();
  });
});
