/** What one node says about the end of a blockhash must neither make a live payment look dead nor keep a dead one alive for ever. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sendingOrder } from '../support/lone-orders.ts';
import { type RpcProxy, startRpcProxy } from '../support/rpc-proxy.ts';
import { openSolanaLab, type SolanaLab } from '../support/solana/lab.ts';
import { fundedWallet, NATIVE, senderOn } from '../support/solana/sending.ts';
import { bytesOfBase64 } from '../support/solana/wire.ts';

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
const orderTo = (to: string, sequence: bigint) =>
  sendingOrder({ wallet: wallet.hot, sequence, asset: NATIVE, to, units: 2_000_000n, voids: false });

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
  const asked = { wallet: wallet.hot, sequence: 1n, order, inputs: [] };
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
    const asked = { wallet: wallet.hot, sequence: 2n, order, inputs: [] };
    expect(await sender.outcome({ ...asked, transactions: [first] })).toEqual({ kind: 'expired' });
  } else expect(refused).toBe(true);
  await sender.close();
});
