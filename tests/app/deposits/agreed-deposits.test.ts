/**
 * Deposits of one block of which the nodes agree on some only (safety.md A3), and what asking them
 * costs.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chainWatcher } from '../../../src/app/watching/watch-chain.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import type { Deposit } from '../../../src/domain/deposits/deposit.ts';
import type {
  Agreement,
  BlockId,
  ChainScanner,
  ClaimedTransfer,
} from '../../../src/ports/chains/chain-scanner.ts';
import { aDeposit, anId, anInvoice, NOW } from '../../support/builders.ts';
import { aTxid } from '../../support/chains/utxo-builders.ts';
import { watchingNobody } from '../../support/chains/watch-list.ts';
import { recordingLogger } from '../../support/evm/evm-lab.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('nodes and the deposits of a final block', () => {
  let it: TestService;
  beforeAll(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' } });
  });
  afterAll(() => it.stop());

  /** Block 8 is final and holds `count` deposits; the nodes say of it what `answer` does. */
  async function opened(
    count: number,
    answer: (claimed: readonly ClaimedTransfer[]) => Agreement | Promise<Agreement>,
    also: { invoiceId?: string; block?: null; lookup?: ChainScanner['lookup'] } = {},
  ) {
    const chain = { ...chainNamed('bitcoin'), name: `chain-${anId()}` };
    const block = (height: number) => ({
      ...{ height, hash: `a${height}`, parentHash: `a${height - 1}` },
      time: NOW.getTime() / 1000 + height,
    });
    const questions: { block: BlockId; claimed: readonly ClaimedTransfer[] }[] = [];
    const scanner: ChainScanner = {
      ...{ chain: chain.name, maxRange: 16 },
      head: async () => ({ tip: block(10), finalizedHeight: 9 }),
      blockAt: async (height) => (height > 10 ? null : block(height)),
      blocks: async ({ from, to }) =>
        Array.from({ length: to - from + 1 }, (_, n) => ({ ...block(from + n), transfers: [] })),
      pending: async () => [],
      lookup: also.lookup ?? (async () => ({ state: 'unknown' })),
      confirmWithNodes: async ({ height, hash }, claimed) => {
        questions.push({ block: { height, hash }, claimed });
        return answer(claimed);
      },
      unscannedAssets: async () => [],
      close: async () => undefined,
    };
    const logger = recordingLogger();
    const deps = { ...it.service.dependencies, logger };
    const { id: merchantId } = await it.merchant({});
    const deposits = Array.from({ length: count }, (_, vout) =>
      aDeposit({
        ...{ merchantId, chain: chain.name, asset: 'btc_bitcoin', units: 300n, txid: aTxid() },
        ...{ output: `vout:${vout}`, block: { height: 8, hash: 'a8' }, lockedUntil: vout === 0 ? 9 : null },
        ...(also.invoiceId === undefined ? {} : { invoiceId: also.invoiceId, strayReason: null }),
        ...(also.block === null ? { block: null } : {}),
      }),
    );
    await deps.unitOfWork.run(async (r) => {
      for (const deposit of deposits) await r.deposits.insertAll([deposit]);
    });
    const watcher = chainWatcher(deps, {
      ...{ chain, scanner, watch: watchingNobody, startHeight: 5, hotWallet: null },
    });
    await watcher.begin();
    const found = async (): Promise<readonly Deposit[]> => {
      const all = await deps.unitOfWork.run((r) => r.deposits.findByKeys(chain.name, deposits));
      const byTxid = new Map(all.map((deposit) => [deposit.txid, deposit]));
      return deposits.map(({ txid }) => byTxid.get(txid)!);
    };
    const statuses = async () => (await found()).map(({ status }) => status);
    const warnings = () =>
      logger.lines.filter(({ event }) => event.startsWith('deposit.') && event !== 'deposit.stray');
    return { watcher, questions, deposits, found, statuses, warnings };
  }

  test('only what every node shows becomes final, and the rest is asked for again', async () => {
    let lies = true;
    const on = await opened(3, (claimed) => ({ kind: 'agreed', disputed: lies ? [claimed[1]!] : [] }));
    await on.watcher.poll();
    expect(await on.statuses()).toEqual(['stray', 'confirming', 'stray']);
    expect(on.warnings().map(({ fields }) => fields)).toEqual([
      expect.objectContaining({ height: 8, hash: 'a8', payments: 1, txid: on.deposits[1]!.txid }),
    ]);
    lies = false;
    await on.watcher.poll();
    expect(await on.statuses()).toEqual(['stray', 'stray', 'stray']);
    expect(on.questions.map(({ claimed }) => claimed.length)).toEqual([3, 1]);
  });

  test('nodes are told all that decides who gets how much, and when', async () => {
    const on = await opened(2, () => ({ kind: 'agreed', disputed: [] }));
    await on.watcher.poll();
    const [first] = on.deposits as [Deposit];
    const { txid, output, asset, units, address: to, addressFrom: from } = first;
    expect(on.questions[0]!.block).toEqual({ height: 8, hash: 'a8' });
    expect(on.questions[0]!.claimed.find((claim) => claim.txid === txid)).toEqual({
      ...{ txid, output, asset, units, to, from, kind: 'payment', lockedUntil: 9 },
    });
  });

  test('R10: a block that not every node calls final waits without a word, and one that they dispute twice is told of', async () => {
    let kind: 'not_final' | 'disputed' = 'not_final';
    const on = await opened(150, () => ({ kind }));
    await on.watcher.poll();
    expect(on.warnings()).toEqual([]);
    kind = 'disputed';
    await on.watcher.poll();
    expect(on.warnings()).toEqual([]);
    await on.watcher.poll();
    expect(on.warnings().map(({ event }) => event)).toEqual(['deposit.block_disputed']);
    expect(new Set(await on.statuses())).toEqual(new Set(['confirming']));
  });

  test('a deposit whose block changed while nodes were asked is not final by their word on the old one', async () => {
    const { unitOfWork } = it.service.dependencies;
    let moved = false;
    const on = await opened(2, async () => {
      if (!moved)
        await unitOfWork.run((r) =>
          r.deposits.save({ ...on.deposits[1]!, block: { height: 8, hash: 'another' } }),
        );
      moved = true;
      return { kind: 'agreed', disputed: [] };
    });
    await on.watcher.poll();
    expect(await on.statuses()).toEqual(['stray', 'confirming']);
  });

  test('a deposit whose invoice somebody else has is final at the next poll, and nothing is told of it', async () => {
    const { unitOfWork } = it.service.dependencies;
    const { id: merchantId } = await it.merchant({});
    const invoice = anInvoice({ merchantId });
    await unitOfWork.run((r) => r.invoices.insert(invoice));
    const on = await opened(1, () => ({ kind: 'agreed', disputed: [] }), {
      invoiceId: invoice.id,
    });
    await unitOfWork.run(async (r) => {
      await r.invoices.lock(invoice.id);
      await on.watcher.poll();
    });
    expect(await on.statuses()).toEqual(['confirming']);
    expect(on.warnings()).toEqual([]);
    await on.watcher.poll();
    expect(await on.statuses()).toEqual(['arrived']);
  });

  test('a payment that nodes dispute keeps its block while they agree that the block stands', async () => {
    const on = await opened(1, (claimed) =>
      claimed.length > 0 ? { kind: 'disputed' } : { kind: 'agreed', disputed: [] },
    );
    await on.watcher.poll();
    expect(await on.found()).toMatchObject([{ status: 'confirming', block: { height: 8, hash: 'a8' } }]);
  });

  test.each([
    ['a block that is yet to be read', { height: 99, blockHash: 'a99' }],
    ['another block than the one that stands there', { height: 8, blockHash: 'b8' }],
  ])(
    'what has no block, and whose transaction is said to be in %s, waits without a word',
    async (_, place) => {
      const on = await opened(1, () => ({ kind: 'agreed', disputed: [] }), {
        block: null,
        lookup: async () => ({ state: 'mined', ...place }),
      });
      while ((await on.watcher.poll()).behind);
      expect(await on.found()).toMatchObject([{ status: 'confirming', block: null }]);
      expect(on.warnings()).toEqual([]);
    },
  );

  test('what has no block, and whose transaction no node knows, is dropped', async () => {
    const on = await opened(1, () => ({ kind: 'agreed', disputed: [] }), { block: null });
    while ((await on.watcher.poll()).behind);
    expect(await on.found()).toMatchObject([{ status: 'dropped', block: null }]);
  });

  test('U5: they are asked once for a block, however many deposits it holds', async () => {
    const on = await opened(600, () => ({ kind: 'agreed', disputed: [] }));
    await on.watcher.poll();
    expect(on.questions.map(({ claimed }) => claimed.length)).toEqual([600]);
    expect(new Set(await on.statuses())).toEqual(new Set(['stray']));
  });
});
