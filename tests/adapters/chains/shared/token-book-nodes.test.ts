/**
 * One node that is not there yet (still reading the chain from its start) must not make a listed
 * token unread for good.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { solanaScanner } from '../../../../src/adapters/chains/solana/read/scanner.ts';
import { tronScanner } from '../../../../src/adapters/chains/tron/read/scanner.ts';
import { type RpcProxy, startRpcProxy } from '../../../support/chains/rpc-proxy.ts';
import { watching } from '../../../support/chains/watch-list.ts';
import { recordingLogger } from '../../../support/evm/evm-lab.ts';
import { openSolanaLab, type SolanaLab } from '../../../support/solana/lab.ts';
import { listings, NATIVE } from '../../../support/solana/sending.ts';
import { openTronLab, type TronLab } from '../../../support/tron/lab.ts';
import { openTronStage, type TronStage } from '../../../support/tron/sending.ts';

const hexOf = (text: string): string => Buffer.from(text).toString('hex');
/** java-tron's answer for a contract that its state does not have. */
const noContract = {
  result: { code: 'CONTRACT_VALIDATE_ERROR', message: hexOf('Smart contract is not exist.') },
};

describe('Tron', () => {
  let lab: TronLab;
  beforeAll(async () => {
    lab = await openTronLab();
  });
  afterAll(() => lab.server.stop());

  test('a deposit of a token is read though the first node is still synchronising when it is asked about the contract', async () => {
    const [first, second] = [lab.server.node, lab.server.anotherNode()];
    // It has the right first block, and is far from the tip: neither contract nor block is there.
    first.behave({
      answer: (path) => {
        if (path === '/wallet/triggerconstantcontract') return noContract;
        return path === '/wallet/getblockbylimitnext' ? {} : undefined;
      },
    });
    const scanner = tronScanner({
      ...{ chain: 'tron', network: 'main', rpc: [first.url, second.url], asset: 'trx_tron' },
      tokens: [{ asset: 'usdt_tron', contract: lab.contracts.usdt, decimals: 6 }],
      confirmations: null,
      logger: recordingLogger(),
      timing: { coolDownMs: 1 },
    });
    const to = lab.freshAddress();
    await lab.payToken('usdt', to, 5_000_000n);
    const height = await lab.mine();
    const [block] = await scanner.blocks({ from: height, to: height }, watching([to]));
    first.behave({});
    const [again] = await scanner.blocks({ from: height, to: height }, watching([to]));
    await scanner.close();
    expect([block!.transfers.length, again!.transfers.length]).toEqual([1, 1]);
  });
});

describe('a payout of a token on Tron', () => {
  let stage: TronStage;
  beforeAll(async () => {
    stage = await openTronStage();
  });
  afterAll(() => stage.stop());

  test('can be prepared once the node that had not come so far has done so', async () => {
    const { node } = stage.lab.server;
    node.behave({
      answer: (path) => (path === '/wallet/triggerconstantcontract' ? noContract : undefined),
    });
    const sender = stage.open();
    const order = stage.orderOf({ asset: 'usdt_tron' });
    await sender.prepare(order, null).catch(() => null);
    node.behave({});
    expect((await sender.prepare(order, null)).payload).toBeString();
  });
});

describe('Solana', () => {
  let lab: SolanaLab;
  let proxy: RpcProxy;
  beforeAll(async () => {
    lab = openSolanaLab({ finalizedLag: 3 });
    proxy = await startRpcProxy(lab.node.url);
  });
  afterAll(async () => {
    await proxy.stop();
    await lab.stop();
  });

  test('a deposit of a token is read though the first node did not have the mint when it was asked', async () => {
    proxy.behave({
      refuse: ['getBlock'],
      answer: ({ method }, result) =>
        method === 'getMultipleAccounts'
          ? { ...(result as object), value: (result as { value: unknown[] }).value.map(() => null) }
          : undefined,
    });
    const scanner = solanaScanner({
      ...{ chain: 'solana', network: 'test', rpc: [proxy.url, lab.node.url], nativeAsset: NATIVE },
      tokens: listings(lab),
      logger: recordingLogger(),
      timing: { coolDownMs: 1 },
    });
    const to = lab.freshAddress();
    lab.payTokens({ to, units: 5_000_000n, token: lab.mints.usdc });
    lab.ledger.mine();
    const { height } = lab.ledger.tip('confirmed');
    const [block] = await scanner.blocks({ from: height, to: height }, watching([to]));
    await scanner.close();
    expect(block!.transfers).toHaveLength(1);
  });
});
