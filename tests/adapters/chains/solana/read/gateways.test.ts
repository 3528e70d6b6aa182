/**
 * Gateways before Solana's nodes that leave out, or add, something: neither makes a payment look
 * failed, unseen or read.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { solanaScanner } from '../../../../../src/adapters/chains/solana/read/scanner.ts';
import { ChainUnavailable } from '../../../../../src/ports/chains/chain-scanner.ts';
import { type RpcProxy, startRpcProxy } from '../../../../support/chains/rpc-proxy.ts';
import { watching } from '../../../../support/chains/watch-list.ts';
import { recordingLogger } from '../../../../support/evm/evm-lab.ts';
import { openSolanaLab, type SolanaLab } from '../../../../support/solana/lab.ts';
import { fundedWallet, listings, NATIVE, senderOn } from '../../../../support/solana/sending.ts';
import { sendingOrder } from '../../../../support/utxo/lone-orders.ts';

const LAG = 3;
let lab: SolanaLab;
let proxy: RpcProxy;
beforeAll(async () => {
  lab = openSolanaLab({ finalizedLag: LAG });
  proxy = await startRpcProxy(lab.node.url);
  lab.ledger.mine(10);
});
afterAll(async () => {
  await proxy.stop();
  await lab.stop();
});

const scannerOn = (url: string) =>
  solanaScanner({
    ...{ chain: 'solana', network: 'test', rpc: [url], nativeAsset: NATIVE, tokens: listings(lab) },
    logger: recordingLogger(),
    timing: { coolDownMs: 1 },
  });

describe('a gateway that leaves the error of a transaction out', () => {
  const without = (status: object): object =>
    Object.fromEntries(Object.entries(status).filter(([key]) => key !== 'err'));

  test('does not make a payment look failed', async () => {
    const sender = senderOn(lab, [proxy.url]);
    const wallet = fundedWallet(lab);
    const to = lab.unusedAddress();
    const order = sendingOrder({
      ...{ wallet: wallet.hot, nonce: 8n, asset: NATIVE, to, units: 2_000_000n, voids: false },
    });
    const unsigned = await sender.prepare(order, null);
    const signed = { ...(await wallet.sign(order, unsigned, null)), ...unsigned, voids: false };
    await sender.broadcast(signed.raw);
    lab.ledger.mine(LAG + 1);
    const asked = { wallet: wallet.hot, nonce: 8n, order, inputs: [], transactions: [signed] };
    proxy.behave({
      answer: ({ method }, result) => {
        if (method !== 'getTransaction') return undefined;
        const answer = result as { meta: object };
        return { ...answer, meta: without(answer.meta) };
      },
    });
    await expect(sender.outcome(asked)).rejects.toThrow(ChainUnavailable);
    proxy.behave({});
    expect(await sender.outcome(asked)).toMatchObject({ kind: 'mined', effects: [true] });
    await sender.close();
  });

  test('does not make a deposit unseen', async () => {
    const scanner = scannerOn(proxy.url);
    const to = lab.freshAddress();
    lab.payCoins({ to, units: 5_000_000n });
    lab.ledger.mine();
    const { height } = lab.ledger.tip('confirmed');
    proxy.behave({
      answer: ({ method }, result) => {
        const block = result as { transactions?: { meta: object }[] };
        if (method !== 'getBlock' || block.transactions === undefined) return undefined;
        const transactions = block.transactions.map((item) => ({ ...item, meta: without(item.meta) }));
        return { ...block, transactions };
      },
    });
    await expect(scanner.blocks({ from: height, to: height }, watching([to]))).rejects.toThrow(
      ChainUnavailable,
    );
    proxy.behave({});
    const [block] = await scanner.blocks({ from: height, to: height }, watching([to]));
    expect(block!.transfers).toHaveLength(1);
    await scanner.close();
  });
});

test('a list of more slots than were asked for is refused', async () => {
  const scanner = scannerOn(proxy.url);
  lab.ledger.mine(8);
  const { height } = lab.ledger.tip('confirmed');
  const range = { from: height - 6, to: height - 5 };
  expect(await scanner.blocks(range, watching([]))).toHaveLength(2);
  proxy.behave({
    answer: ({ method }, result) =>
      method === 'getBlocksWithLimit'
        ? [...(result as number[]), Number((result as number[]).at(-1)) + 1]
        : undefined,
  });
  await expect(scanner.blocks(range, watching([]))).rejects.toThrow(ChainUnavailable);
  proxy.behave({});
  await scanner.close();
});
