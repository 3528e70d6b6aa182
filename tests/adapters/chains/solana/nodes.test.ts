/**
 * Solana's nodes that lag, forget, belong to another cluster or disagree: nothing is credited,
 * signed again or given up on their word.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Keypair } from '@solana/web3.js';
import {
  type SolanaScannerOptions,
  solanaScanner,
} from '../../../../src/adapters/chains/solana/read/scanner.ts';
import { EXPIRY_MARGIN } from '../../../../src/adapters/chains/solana/send/lifetime.ts';
import { ChainUnavailable, type ScannedBlock } from '../../../../src/ports/chains/chain-scanner.ts';
import type { ChainSender, SendingOrder } from '../../../../src/ports/sending/chain-sender.ts';
import { startRpcProxy } from '../../../support/chains/rpc-proxy.ts';
import { watching, watchingNobody } from '../../../support/chains/watch-list.ts';
import { recordingLogger } from '../../../support/evm/evm-lab.ts';
import { behindPlan } from '../../../support/providers/behind-plan.ts';
import { UNLIMITED } from '../../../support/providers/plans.ts';
import { openSolanaLab, type SolanaLab } from '../../../support/solana/lab.ts';
import { MAINNET_GENESIS, type SolanaNode, startSolanaNode } from '../../../support/solana/node.ts';
import { fundedWallet, listings, NATIVE, senderOn } from '../../../support/solana/sending.ts';
import { sendingOrder } from '../../../support/utxo/lone-orders.ts';

const LAG = 3;
const LIFE = 150;

let lab: SolanaLab;
let second: SolanaNode;
let closing: (() => Promise<void>)[];
beforeEach(() => {
  lab = openSolanaLab({ finalizedLag: LAG });
  lab.ledger.mine(10);
  second = startSolanaNode(lab.ledger);
  closing = [() => second.stop(), () => lab.stop()];
});
afterEach(async () => {
  for (const close of closing.toReversed()) await close();
});

function scannerOf(
  rpc: readonly string[],
  network: 'main' | 'test' = 'test',
  changes: Partial<SolanaScannerOptions> = {},
) {
  const scanner = solanaScanner({
    ...{ chain: 'solana', network, rpc, nativeAsset: NATIVE, tokens: listings(lab) },
    logger: recordingLogger(),
    timing: { coolDownMs: 1 },
    ...changes,
  });
  closing.push(() => scanner.close());
  return scanner;
}

describe('the scanner', () => {
  test('never reads a node of another cluster', async () => {
    const foreign = startSolanaNode(lab.ledger, MAINNET_GENESIS);
    closing.push(() => foreign.stop());
    await expect(scannerOf([foreign.url]).head()).rejects.toThrow(ChainUnavailable);
    await expect(scannerOf([lab.node.url], 'main').head()).rejects.toThrow(ChainUnavailable);
    expect((await scannerOf([foreign.url, lab.node.url]).head()).tip.height).toBe(
      lab.ledger.tip('confirmed').height,
    );
    expect((await scannerOf([foreign.url], 'main').head()).tip.height).toBeGreaterThan(0);
  });

  test('shows the key of an API to its nodes, and to nobody in a message', async () => {
    const shown: (string | null)[] = [];
    const keyed = Object.assign(
      (...[url, init]: Parameters<typeof fetch>) => {
        shown.push(new Headers(init?.headers).get('x-api-key'));
        return fetch(url, init);
      },
      { preconnect: fetch.preconnect },
    );
    const options = { chain: 'solana', network: 'test', nativeAsset: NATIVE, tokens: listings(lab) } as const;
    const keyedScanner = (rpc: string) =>
      solanaScanner({
        ...options,
        rpc: [{ url: rpc, apiKey: 'secret-key' }],
        fetch: keyed,
        logger: recordingLogger(),
      });
    const [there, away] = [keyedScanner(lab.node.url), keyedScanner('http://127.0.0.1:1')];
    closing.push(
      () => there.close(),
      () => away.close(),
    );
    await there.head();
    expect(new Set(shown)).toEqual(new Set(['secret-key']));
    await expect(away.head()).rejects.toThrow(/^(?!.*secret-key).*no node could answer/);
  });

  test('takes the best block that a node can show, where its slot is told before', async () => {
    const { height } = lab.ledger.tip('confirmed');
    lab.node.settings.unready = 2;
    expect((await scannerOf([lab.node.url]).head()).tip.height).toBe(height - 2);
    lab.node.settings.unready = 1_000;
    await expect(scannerOf([lab.node.url]).head()).rejects.toThrow(ChainUnavailable);
  });

  test('A3: nodes of two branches do not agree on a block, and one that lacks it does not either', async () => {
    const rival = openSolanaLab({ finalizedLag: LAG });
    closing.push(() => rival.stop());
    rival.ledger.mine(10);
    const { finalizedHeight } = await scannerOf([lab.node.url]).head();
    const block = (await scannerOf([lab.node.url]).blockAt(finalizedHeight))!;
    expect(await scannerOf([lab.node.url, second.url]).confirmWithNodes(block, [])).toMatchObject({
      kind: 'agreed',
    });
    expect(await scannerOf([lab.node.url, rival.node.url]).confirmWithNodes(block, [])).toMatchObject({
      kind: 'disputed',
    });
    second.settings.firstAvailable = 10_000;
    expect(await scannerOf([lab.node.url, second.url]).confirmWithNodes(block, [])).toMatchObject({
      kind: 'disputed',
    });
  });

  test('never takes a block that a node has cleaned up for an empty one', async () => {
    const { height } = lab.ledger.tip('confirmed');
    const scanner = scannerOf([lab.node.url]);
    const wanted = { from: height - 5, to: height };
    expect(await scanner.blocks(wanted, watchingNobody)).toHaveLength(6);
    lab.node.settings.firstAvailable = lab.ledger.tip('confirmed').slot - 2;
    await expect(scanner.blocks(wanted, watchingNobody)).rejects.toThrow(ChainUnavailable);
    expect(await scannerOf([lab.node.url, second.url]).blocks(wanted, watchingNobody)).toHaveLength(6);
  });

  test('S7: never takes more for final than the tip that it read, or what is as deep as the protocol asks for', async () => {
    const proxy = await startRpcProxy(lab.node.url);
    closing.push(() => proxy.stop());
    proxy.behave({ answer: ({ method }) => (method === 'getBlockHeight' ? 1_000_000_000 : undefined) });
    for (const [depth, changes, kind] of [
      [0, {}, 'agreed'],
      [4, { confirmations: 5 }, 'not_final'],
    ] as const) {
      const scanner = scannerOf([proxy.url], 'test', changes);
      for (let looks = 0; looks < 2; looks++) {
        const { tip, finalizedHeight } = await scanner.head();
        expect(tip.height - finalizedHeight).toBe(depth);
        await scanner.blocks({ from: tip.height, to: tip.height }, watchingNobody);
      }
      const both = scannerOf([proxy.url, proxy.url], 'test', changes);
      expect(await both.confirmWithNodes((await both.head()).tip, [])).toMatchObject({ kind });
    }
    const scanner = scannerOf([proxy.url]);
    await scanner.head();
    proxy.behave({ answer: ({ method }, slot) => (method === 'getSlot' ? Number(slot) - 6 : undefined) });
    const { tip, finalizedHeight } = await scanner.head({ finality: false });
    expect(finalizedHeight).toBe(tip.height);
  });

  test('R9: asks another node for some of the blocks, and tells what it shows besides', async () => {
    const proxy = await startRpcProxy(lab.node.url);
    closing.push(() => proxy.stop());
    const scanner = scannerOf([proxy.url, second.url]);
    const { height, hash } = (await scanner.head()).tip;
    lab.ledger.mine(139);
    const to = Keypair.generate().publicKey.toBase58();
    const txid = lab.payCoins({ to, units: 5_000_000n });
    lab.ledger.mine(20 + LAG);
    proxy.behave({
      answer: ({ method }, result) =>
        method === 'getBlock' && 'transactions' in (result as object)
          ? { ...(result as object), transactions: [] }
          : undefined,
    });
    let after = { height, hash };
    const { tip } = await scanner.head();
    while (after.height < tip.height) {
      const range = { from: after.height + 1, to: Math.min(tip.height, after.height + 32), after };
      const blocks = await scanner.blocks(range, watching([to]));
      expect(blocks.flatMap(({ transfers }) => transfers)).toEqual([]);
      after = blocks.at(-1)!;
    }
    const told: ScannedBlock[] = [];
    await scanner.late!(tip.height, watching([to]), async (blocks) => void told.push(...blocks));
    expect(told).toMatchObject([{ transfers: [{ txid, to, units: 5_000_000n }] }]);
    expect(scannerOf([second.url]).late).toBeUndefined();
  });

  test('R9: asks again for a block of the main network in which a node shows no transaction at all', async () => {
    const nodes = [0, 1].map(() => startSolanaNode(lab.ledger, MAINNET_GENESIS));
    const proxy = await startRpcProxy(nodes[0]!.url);
    closing.push(() => proxy.stop(), ...nodes.map((node) => () => node.stop()));
    const to = Keypair.generate().publicKey.toBase58();
    lab.payCoins({ to, units: 5_000_000n });
    lab.ledger.mine(1);
    const newest = async (rpc: readonly string[], emptyFor = Number.POSITIVE_INFINITY) => {
      let asked = 0;
      proxy.behave({
        answer: ({ method }, result) =>
          method === 'getBlock' && 'transactions' in (result as object) && ++asked <= emptyFor
            ? { ...(result as object), transactions: [] }
            : undefined,
      });
      const scanner = scannerOf(rpc, 'main', behindPlan(UNLIMITED));
      const { height } = (await scanner.head()).tip;
      const [block] = await scanner.blocks({ from: height, to: height }, watching([to]));
      return { paid: block!.transfers.length, asked };
    };
    expect(await newest([proxy.url, nodes[1]!.url])).toMatchObject({ paid: 1 });
    expect(await newest([proxy.url], 2)).toEqual({ paid: 1, asked: 3 });
    expect(await newest([proxy.url])).toEqual({ paid: 0, asked: 5 });
    lab.ledger.mine(1);
    expect(await newest([proxy.url, nodes[1]!.url])).toEqual({ paid: 0, asked: 1 });
  });

  test('never takes a list of slots with a hole for the chain', async () => {
    const { height } = lab.ledger.tip('confirmed');
    const proxy = await startRpcProxy(lab.node.url);
    closing.push(() => proxy.stop());
    proxy.behave({
      answer: ({ method }, result) =>
        method.startsWith('getBlocks') ? (result as number[]).filter((_, index) => index !== 1) : undefined,
    });
    const scanner = scannerOf([proxy.url]);
    await expect(scanner.blocks({ from: height - 4, to: height - 1 }, watchingNobody)).rejects.toThrow(
      ChainUnavailable,
    );
  });
});

describe('the sender', () => {
  let sender: ChainSender;
  let wallet: ReturnType<typeof fundedWallet>;
  let order: SendingOrder;
  let dead: { raw: string; txid: string; validUntil: bigint | null; voids: false };

  /** A payment that was signed, and that the network lost for good. */
  async function lost(rpc: readonly string[]): Promise<void> {
    wallet = fundedWallet(lab);
    sender = senderOn(lab, rpc);
    closing.push(() => sender.close());
    order = sendingOrder({
      ...{ wallet: wallet.hot, nonce: 1n, asset: NATIVE, to: lab.unusedAddress(), units: 1_000_000n },
      voids: false,
    });
    const unsigned = await sender.prepare(order, null);
    dead = { ...(await wallet.sign(order, unsigned, null)), validUntil: unsigned.validUntil, voids: false };
    lab.ledger.mine(LIFE + EXPIRY_MARGIN + LAG + 1);
  }
  const outcome = () =>
    sender.outcome({ wallet: order.wallet, nonce: 1n, transactions: [dead], inputs: [], order });

  test('says expired only when every node that answers proves it', async () => {
    await lost([lab.node.url, second.url]);
    expect(await outcome()).toEqual({ kind: 'expired' });
    // A node that lags behind the end of the transaction could still see it mined.
    const { slot: absoluteSlot } = lab.ledger.tip('finalized');
    second.settings.instead = (method) =>
      method === 'getEpochInfo' ? { absoluteSlot, blockHeight: Number(dead.validUntil) } : undefined;
    expect(await outcome()).toEqual({ kind: 'unseen' });
    delete second.settings.instead;
    await second.stop();
    expect(await outcome()).toEqual({ kind: 'expired' });
  });

  test('does not believe a node whose history begins after the transaction was signed', async () => {
    await lost([lab.node.url]);
    lab.node.settings.firstAvailable = lab.ledger.tip('finalized').slot;
    await expect(outcome()).rejects.toThrow(ChainUnavailable);
    delete lab.node.settings.firstAvailable;
    expect(await outcome()).toEqual({ kind: 'expired' });
  });

  test('says final only when all nodes see the same', async () => {
    await lost([lab.node.url, second.url]);
    const again = await sender.prepare(order, dead);
    const signed = { ...(await wallet.sign(order, again, null)), voids: false, validUntil: again.validUntil };
    await sender.broadcast(signed.raw);
    lab.ledger.mine(LAG + 2);
    const both = () =>
      sender.outcome({ wallet: order.wallet, nonce: 1n, transactions: [dead, signed], inputs: [], order });
    expect(await both()).toMatchObject({ kind: 'mined', txid: signed.txid, final: true });
    second.settings.instead = (method) =>
      method === 'getSignatureStatuses' ? { context: { slot: 1 }, value: [null, null] } : undefined;
    expect(await both()).toMatchObject({ kind: 'mined', txid: signed.txid, final: false });
  });

  test('does not believe a blockhash that ends at once, nor bytes of another wallet or nonce', async () => {
    await lost([lab.node.url]);
    const { height, blockhash } = lab.ledger.tip('confirmed');
    lab.node.settings.instead = (method) =>
      method === 'getLatestBlockhash'
        ? { context: { slot: 1 }, value: { blockhash, lastValidBlockHeight: height + 5 } }
        : undefined;
    await expect(sender.prepare(order, null)).rejects.toThrow(ChainUnavailable);
    await expect(
      sender.outcome({ wallet: order.wallet, nonce: 2n, transactions: [dead], inputs: [], order }),
    ).rejects.toThrow('of another transaction, nonce or wallet');
  });

  test('gives a payment up as undone only when all nodes say so', async () => {
    await lost([lab.node.url, second.url]);
    const failing = () => ({
      context: { slot: 1 },
      value: { err: { InstructionError: [3, 'Custom'] }, logs: [] },
    });
    lab.node.settings.instead = (method) => (method === 'simulateTransaction' ? failing() : undefined);
    await expect(sender.prepare(order, null)).rejects.toMatchObject({ because: 'unclear' });
    second.settings.instead = lab.node.settings.instead;
    await expect(sender.prepare(order, null)).rejects.toMatchObject({ because: 'undone' });
  });
});
