/**
 * What one node says about the end of a blockhash must neither make a live payment look dead nor
 * keep a dead one alive for ever.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { EXPIRY_MARGIN } from '../../../../../src/adapters/chains/solana/send/lifetime.ts';
import { ChainUnavailable } from '../../../../../src/ports/chains/chain-scanner.ts';
import { type RpcProxy, startRpcProxy } from '../../../../support/chains/rpc-proxy.ts';
import { openSolanaLab, type SolanaLab } from '../../../../support/solana/lab.ts';
import { fundedWallet, NATIVE, senderOn } from '../../../../support/solana/sending.ts';
import { bytesOfBase64 } from '../../../../support/solana/wire.ts';
import { sendingOrder } from '../../../../support/utxo/lone-orders.ts';

/** As on the main network: some thirty blocks lie between the tip and what is final. */
const LAG = 31;
let lab: SolanaLab;
let proxy: RpcProxy;
let wallet: ReturnType<typeof fundedWallet>;
beforeAll(async () => {
  lab = openSolanaLab({ finalizedLag: LAG });
  proxy = await startRpcProxy(lab.node.url);
  wallet = fundedWallet(lab);
  lab.ledger.mine(40);
});
afterAll(async () => {
  await proxy.stop();
  await lab.stop();
});

const ends = (change: number) => ({
  answer: ({ method }: { method: string }, result: unknown) => {
    if (method !== 'getLatestBlockhash') return undefined;
    const { context, value } = result as { context: unknown; value: { lastValidBlockHeight: number } };
    return { context, value: { ...value, lastValidBlockHeight: value.lastValidBlockHeight + change } };
  },
});
const orderTo = (to: string, nonce: bigint) =>
  sendingOrder({ wallet: wallet.hot, nonce, asset: NATIVE, to, units: 2_000_000n, voids: false });

test('a payment is not paid twice when the first of two nodes says that its blockhash ends 50 blocks early', async () => {
  const sender = senderOn(lab, [proxy.url, lab.node.url]);
  const to = lab.unusedAddress();
  const order = orderTo(to, 1n);
  proxy.behave(ends(-50));
  const unsigned = await sender.prepare(order, null);
  const first = { ...(await wallet.sign(order, unsigned, null)), ...unsigned, voids: false };
  proxy.behave({});
  // Nobody took it at once, and from here on all nodes are honest.
  lab.ledger.mine(100 + LAG + 2);
  const asked = { wallet: wallet.hot, nonce: 1n, order, inputs: [] };
  const outcome = await sender.outcome({ ...asked, transactions: [first] });
  if (outcome.kind === 'expired') {
    const again = await sender.prepare(order, first);
    const second = await wallet.sign(order, again, null);
    await sender.broadcast(second.raw);
    lab.ledger.submit(bytesOfBase64(first.raw));
    lab.ledger.mine();
  }
  await sender.close();
  expect({ outcome: outcome.kind, arrived: lab.lamportsOf(to) }).toEqual({ outcome: 'unseen', arrived: 0n });
});

test('a payment whose end one node once told far too late is not open for ever', async () => {
  const sender = senderOn(lab, [proxy.url, lab.node.url]);
  const order = orderTo(lab.unusedAddress(), 2n);
  proxy.behave(ends(1_000_000_000));
  let refused = false;
  const unsigned = await sender.prepare(order, null).catch(() => {
    refused = true;
    return null;
  });
  proxy.behave({});
  if (unsigned !== null) {
    const first = { ...(await wallet.sign(order, unsigned, null)), ...unsigned, voids: false };
    lab.ledger.mine(1_000);
    const asked = { wallet: wallet.hot, nonce: 2n, order, inputs: [] };
    expect(await sender.outcome({ ...asked, transactions: [first] })).toEqual({ kind: 'expired' });
  } else expect(refused).toBe(true);
  await sender.close();
});

test('a node that tells both its height and the end of its blockhash too low is not believed beside another one', async () => {
  const sender = senderOn(lab, [proxy.url, lab.node.url]);
  const order = orderTo(lab.unusedAddress(), 3n);
  proxy.behave({
    answer: (call, result) =>
      call.method === 'getBlockHeight' ? (result as number) - 50 : ends(-50).answer(call, result),
  });
  const unsigned = await sender.prepare(order, null);
  proxy.behave({});
  expect(unsigned.validUntil).toBe(BigInt(lab.ledger.tip('confirmed').height + 150));
  await sender.close();
});

test('of two nodes that are thousands of blocks apart neither is believed', async () => {
  const sender = senderOn(lab, [proxy.url, lab.node.url]);
  const order = orderTo(lab.unusedAddress(), 4n);
  proxy.behave({
    answer: (call, result) =>
      call.method === 'getBlockHeight' ? (result as number) + 5_000 : ends(5_000).answer(call, result),
  });
  await expect(sender.prepare(order, null)).rejects.toThrow(ChainUnavailable);
  proxy.behave({});
  expect((await sender.prepare(order, null)).payload).toBeString();
  await sender.close();
});

describe('what is past its end', () => {
  async function past(nonce: bigint) {
    const sender = senderOn(lab, [proxy.url]);
    const order = orderTo(lab.unusedAddress(), nonce);
    const unsigned = await sender.prepare(order, null);
    const signed = { ...(await wallet.sign(order, unsigned, null)), ...unsigned, voids: false };
    const asked = { wallet: wallet.hot, nonce, order, inputs: [] };
    return {
      sender,
      signed,
      outcome: () => sender.outcome({ ...asked, transactions: [signed] }),
    };
  }
  const lifeless = () => lab.ledger.mine(150 + EXPIRY_MARGIN + LAG + 1);

  test('is not dead by the word of a machine behind a common name that has not come so far', async () => {
    const { sender, signed, outcome } = await past(5n);
    const { slot } = lab.ledger.tip('confirmed');
    await sender.broadcast(signed.raw);
    lifeless();
    proxy.behave({
      // One that refuses batches, whose machines answer in turns.
      noBatch: true,
      instead: ({ method }) =>
        method === 'getSignatureStatuses' ? { context: { slot }, value: [null] } : undefined,
    });
    await expect(outcome()).rejects.toThrow(ChainUnavailable);
    proxy.behave({});
    expect(await outcome()).toMatchObject({ kind: 'mined', final: true });
    await sender.close();
  });

  test('is not dead while a finalized block might still be followed by one that takes its blockhash', async () => {
    const { sender, outcome } = await past(6n);
    lifeless();
    proxy.behave({
      answer: ({ method }, result) =>
        method === 'isBlockhashValid' ? { ...(result as object), value: true } : undefined,
    });
    expect(await outcome()).toEqual({ kind: 'unseen' });
    proxy.behave({});
    expect(await outcome()).toEqual({ kind: 'expired' });
    await sender.close();
  });

  test('is not dead before the margin is final, too', async () => {
    const { sender, outcome } = await past(7n);
    lab.ledger.mine(150 + EXPIRY_MARGIN + LAG);
    expect(await outcome()).toEqual({ kind: 'unseen' });
    lab.ledger.mine(1);
    expect(await outcome()).toEqual({ kind: 'expired' });
    await sender.close();
  });
});
