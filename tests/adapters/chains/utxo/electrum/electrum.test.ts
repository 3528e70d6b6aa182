/** What Electrum servers leave out, invent or tell late, and what many open invoices cost there. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  type ChainScanner,
  ChainUnavailable,
  type ScannedBlock,
} from '../../../../../src/ports/chains/chain-scanner.ts';
import { watching } from '../../../../support/chains/watch-list.ts';
import { recordingLogger } from '../../../../support/evm/evm-lab.ts';
import { type ElectrumServer, startElectrumServer } from '../../../../support/nodes/electrum-server.ts';
import { type RegtestNode, unknownTxid } from '../../../../support/nodes/regtest.ts';
import { BITCOIN } from '../../../../support/utxo/utxo-nodes.ts';
import { scannerOn } from '../../../../support/utxo/utxo-sources.ts';

describe.skipIf(!BITCOIN.there())('Electrum servers of bitcoin', () => {
  let node: RegtestNode;
  let first: ElectrumServer;
  let second: ElectrumServer;
  beforeAll(async () => {
    node = await BITCOIN.start();
    first = await startElectrumServer(node);
    second = await startElectrumServer(node);
  });
  beforeEach(() => {
    first.behave({});
    second.behave({});
  });
  afterAll(async () => {
    await first.stop();
    await second.stop();
    await node.stop();
  });

  async function on(
    servers: readonly ElectrumServer[],
    work: (scanner: ChainScanner) => Promise<void>,
    logger = recordingLogger(),
  ): Promise<void> {
    const scanner = scannerOn(node, { electrum: servers.map(({ url }) => url) }, logger);
    await work(scanner).finally(() => scanner.close());
  }

  async function paidInBlock() {
    const to = node.freshAddress();
    const { txid } = await node.pay([{ to, units: 70_000n }]);
    await node.mine();
    return { to, txid, height: await node.height() };
  }

  const txidsIn = (blocks: readonly ScannedBlock[]) =>
    blocks.flatMap(({ transfers }) => transfers.map((transfer) => transfer.txid));

  async function lateOn(scanner: ChainScanner, upTo: number, to: string): Promise<readonly string[]> {
    const told: string[] = [];
    await scanner.late!(upTo, watching([to]), async (blocks) => void told.push(...txidsIn(blocks)));
    return told;
  }

  test('what a server tells only after its block was read comes late, once, and again where it could not be recorded', async () => {
    const { to, txid, height } = await paidInBlock();
    await on([first], async (scanner) => {
      first.behave({ hidden: new Set([txid]) });
      expect(txidsIn(await scanner.blocks({ from: height, to: height }, watching([to])))).toEqual([]);
      expect(await lateOn(scanner, height, to)).toEqual([]);
      first.behave({});
      const failing = scanner.late!(height, watching([to]), async () => {
        throw new Error('no database');
      });
      await expect(failing).rejects.toThrow('no database');
      expect(await lateOn(scanner, height - 1, to)).toEqual([]);
      expect(await lateOn(scanner, height, to)).toEqual([txid]);
      expect(await lateOn(scanner, height, to)).toEqual([]);
    });
  });

  test('what one server leaves out another one tells', async () => {
    const { to, txid, height } = await paidInBlock();
    first.behave({ hidden: new Set([txid]) });
    await on([first, second], async (scanner) => {
      expect(txidsIn(await scanner.blocks({ from: height, to: height }, watching([to])))).toEqual([]);
      expect(await lateOn(scanner, height, to)).toEqual([txid]);
    });
  });

  test('an address that was given out after its server was asked first is followed from the next question on', async () => {
    const [before, after] = [node.freshAddress(), node.freshAddress()];
    await on([first], async (scanner) => {
      await scanner.pending(watching([before]));
      const { txid } = await node.pay([{ to: after, units: 81_000n }]);
      expect(await scanner.pending(watching([before, after]))).toMatchObject([{ txid, to: after }]);
      await node.mine();
      const height = await node.height();
      const blocks = await scanner.blocks({ from: height, to: height }, watching([before, after]));
      expect(txidsIn(blocks)).toEqual([txid]);
    });
  });

  test('A3: a payment that a server invents in a block has no proof, and another server is asked', async () => {
    const { to, txid, height } = await paidInBlock();
    const elsewhere = await paidInBlock();
    const inventing = (method: string, params: readonly unknown[], answer: unknown) => {
      if (method === 'blockchain.scripthash.get_history' && (answer as unknown[]).length > 0)
        return [{ tx_hash: elsewhere.txid, height }];
      if (method === 'blockchain.transaction.get_merkle')
        return { block_height: params[1], merkle: [unknownTxid()], pos: 1 };
      return undefined;
    };
    const logger = recordingLogger();
    await on(
      [first, second],
      async (scanner) => {
        first.behave({ lie: inventing });
        const blocks = await scanner.blocks({ from: height, to: height }, watching([to]));
        expect(txidsIn(blocks)).toEqual([txid]);
      },
      logger,
    );
    expect(logger.lines).toMatchObject([
      { event: 'node.failed', fields: { problem: expect.stringContaining('does not prove') } },
    ]);
  });

  test('another transaction than asked is the fault of its server', async () => {
    const { to, height } = await paidInBlock();
    const other = await node.sign([{ to, units: 5_000_000n }]);
    first.behave({ lie: (method) => (method === 'blockchain.transaction.get' ? other.raw : undefined) });
    await on([first], async (scanner) => {
      await expect(scanner.blocks({ from: height, to: height }, watching([to]))).rejects.toThrow(
        'another transaction than asked',
      );
    });
  });

  test('headers without work, or that do not follow from each other, are the fault of their server', async () => {
    await node.mine(3);
    const height = await node.height();
    const hexOf = async (at: number) => {
      const hash = await node.rpc<string>('getblockhash', at);
      return node.rpc<string>('getblockheader', hash, false);
    };
    const foreign = await hexOf(2);
    const tip = await hexOf(height);
    const worthless = `${tip.slice(0, -16)}ffff001d${tip.slice(-8)}`;
    for (const [method, lie] of [
      ['blockchain.headers.subscribe', { height, hex: worthless }],
      ['blockchain.block.headers', { count: 1, hex: foreign, max: 2016 }],
    ] as const) {
      first.behave({ lie: (asked) => (asked === method ? lie : undefined) });
      await on([first], async (scanner) => {
        await expect(scanner.blockAt(height - 1)).rejects.toThrow(ChainUnavailable);
      });
      await on([first, second], async (scanner) => {
        expect((await scanner.blockAt(height - 1))?.height).toBe(height - 1);
      });
    }
  });

  test('a server that hangs up, stays silent or finds that too much was asked is replaced by the next', async () => {
    const { to, txid, height } = await paidInBlock();
    for (const faults of [{ drop: true }, { excessive: true }]) {
      first.behave(faults);
      await on([first, second], async (scanner) => {
        const blocks = await scanner.blocks({ from: height, to: height }, watching([to]));
        expect(txidsIn(blocks)).toEqual([txid]);
      });
    }
  });

  test('after a cut all is subscribed again, and only what changed is fetched', async () => {
    const many = Array.from({ length: 60 }, () => node.freshAddress());
    await on([first], async (scanner) => {
      await scanner.pending(watching(many));
      first.behave({ drop: true });
      await expect(scanner.pending(watching(many))).rejects.toThrow(ChainUnavailable);
      const { txid } = await node.pay([{ to: many[40]!, units: 66_000n }]);
      first.behave({});
      expect(await scanner.pending(watching(many))).toMatchObject([{ txid }]);
      const count = (method: string) => first.asked.filter((asked) => asked === method).length;
      expect(count('blockchain.scripthash.subscribe')).toBe(60);
      expect(count('blockchain.scripthash.get_history')).toBe(1);
    });
  });

  test('two thousand open invoices cost one call each, in batches, and nothing while nothing happens', async () => {
    const many = Array.from({ length: 2_000 }, () => node.freshAddress());
    const watch = watching(many);
    await on([first], async (scanner) => {
      await scanner.pending(watch);
      expect(first.asked.filter((method) => method === 'blockchain.scripthash.subscribe').length).toBe(2_000);
      expect(first.lines).toBeLessThan(60);
      first.behave({});
      for (let poll = 0; poll < 5; poll++) await scanner.pending(watch);
      // The tests' scanner asks for a sign of life each time; one in use does so in five minutes.
      expect(first.asked.filter((method) => method !== 'server.ping')).toEqual([]);
      const { txid } = await node.pay([{ to: many[1_234]!, units: 55_000n }]);
      first.behave({});
      expect(await scanner.pending(watch)).toMatchObject([{ txid }]);
      expect(first.asked.filter((method) => method !== 'server.ping')).toEqual([
        'blockchain.scripthash.get_history',
        'blockchain.transaction.get',
      ]);
    });
  });
});
