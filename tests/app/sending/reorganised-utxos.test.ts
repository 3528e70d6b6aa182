/** Coins whose block left the chain, in the records and in the books. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { bookFunding } from '../../../src/app/sending/book-funding.ts';
import type { SendingChain } from '../../../src/app/sending/sending-chain.ts';
import { chainWatcher } from '../../../src/app/watching/watch-chain.ts';
import { chainNamed } from '../../../src/domain/catalog/chain.ts';
import { type ChainScanner, ChainUnavailable } from '../../../src/ports/chains/chain-scanner.ts';
import { aDeposit, aHash, anAddress, anId, anInvoice, anIssuedAddress, NOW } from '../../support/builders.ts';
import { aTxid } from '../../support/chains/utxo-builders.ts';
import { watchingNobody } from '../../support/chains/watch-list.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a reorganisation', () => {
  let it: TestService;
  beforeAll(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' } });
  });
  afterAll(() => it.stop());

  /** A chain of blocks that a test replaces; nothing is in them. */
  function scripted(chain: string, lookup: ChainScanner['lookup']) {
    let branch = 'a';
    let tip = 10;
    const block = (height: number) => {
      const name = (at: number) => `${at < 8 ? 'a' : branch}${at}`;
      return {
        height,
        hash: name(height),
        parentHash: name(height - 1),
        time: NOW.getTime() / 1000 + height,
      };
    };
    const scanner: ChainScanner = {
      chain,
      maxRange: 16,
      head: async () => ({ tip: block(tip), finalizedHeight: tip - 1 }),
      blockAt: async (height) => (height > tip ? null : block(height)),
      blocks: async ({ from, to }) =>
        Array.from({ length: to - from + 1 }, (_, n) => ({ ...block(from + n), transfers: [] })),
      pending: async () => [],
      lookup,
      confirmWithNodes: async () => ({ kind: 'agreed', disputed: [] }),
      unscannedAssets: async () => [],
      close: async () => undefined,
    };
    return {
      scanner,
      block,
      replace(next: string, height: number) {
        branch = next;
        tip = height;
      },
    };
  }

  test('makes the UTXO of a credited deposit unspendable at once, and not only when its transaction was looked up', async () => {
    const { dependencies: deps } = it.service;
    const chain = { ...chainNamed('bitcoin'), name: `chain-${anId()}` };
    const { id: merchantId } = await it.merchant({});
    const lookups: string[] = [];
    const node = scripted(chain.name, async (txid) => {
      lookups.push(txid);
      throw new ChainUnavailable('the node is busy');
    });
    const watcher = chainWatcher(deps, {
      ...{ chain, scanner: node.scanner, watch: watchingNobody, startHeight: 5, hotWallet: null },
    });
    await watcher.begin();
    await watcher.poll();
    const invoice = anInvoice({ merchantId });
    const address = `bc1q${anId()}`;
    const { height, hash } = node.block(9);
    const deposit = aDeposit({
      ...{ merchantId, chain: chain.name, asset: 'btc_bitcoin', address, units: 70_000n },
      ...{ txid: aTxid(), output: 'vout:1', status: 'credited', block: { height, hash } },
    });
    const free = () =>
      deps.unitOfWork.run(async (r) =>
        r.utxos.free(chain.name, (await r.chains.cursor(chain.name))!.finalizedHeight, 10),
      );
    await deps.unitOfWork.run(async (r) => {
      await r.invoices.insert(invoice);
      await r.addresses.insert(
        anIssuedAddress({
          ...{ family: 'bitcoin', deriver: 'bitcoin', derivationIndex: 3 },
          ...{ merchantId, invoiceId: invoice.id, address },
        }),
      );
      await r.deposits.insertAll([deposit]);
      await r.utxos.insertDeposits([deposit], 'bitcoin');
    });
    expect(await free()).toHaveLength(1);
    node.replace('b', 12);
    for (let poll = 0; poll < 3; poll += 1) await watcher.poll().catch(() => undefined);
    expect(lookups).not.toEqual([]);
    expect(await free()).toEqual([]);
  });

  test('that takes the operator’s booked money away is in the books, and so is its return', async () => {
    const { dependencies: deps } = it.service;
    const chain = `chain-${anId()}`;
    const sender = { nativeAsset: 'btc_bitcoin' } as unknown as SendingChain['sender'];
    const cursor = { height: 9, hash: aHash(), coveredUntil: NOW, finalizedHeight: 8 };
    await deps.unitOfWork.run((r) => r.chains.moveCursor(chain, null, cursor));
    const coin = { txid: aTxid(), vout: 0, address: anAddress(), units: 50_000n };
    await deps.unitOfWork.run((r) => r.utxos.insertFunding(chain, coin, { height: 7, hash: aHash() }));
    expect(await bookFunding(deps, { chain, sender })).toBe(1);
    const books = async () =>
      (await deps.treasuryQueries.treasuryBooks(chain, ['btc_bitcoin'], 'btc_bitcoin'))[0]!;
    expect(await books()).toMatchObject({ recordedUnits: 50_000n, ledgerUnits: 50_000n });
    // Its block is gone, and its transaction was replaced: it never comes back.
    await deps.unitOfWork.run(async (r) => {
      await r.utxos.orphanAbove(chain, 6);
      await r.chains.moveCursor(chain, cursor, {
        ...cursor,
        height: 500,
        hash: aHash(),
        finalizedHeight: 499,
      });
    });
    await bookFunding(deps, { chain, sender });
    const { recordedUnits, ledgerUnits } = await books();
    const standing = await deps.unitOfWork.run((r) => r.utxos.standing(chain, { after: null, limit: 10 }));
    expect({ recordedUnits, ledgerUnits, standing }).toEqual({
      ...{ recordedUnits: 0n, ledgerUnits: 0n },
      standing: [],
    });
    // It comes back after all.
    await deps.unitOfWork.run((r) => r.utxos.insertFunding(chain, coin, { height: 498, hash: aHash() }));
    expect(await bookFunding(deps, { chain, sender })).toBe(1);
    expect(await bookFunding(deps, { chain, sender })).toBe(0);
    expect(await books()).toMatchObject({ recordedUnits: 50_000n, ledgerUnits: 50_000n });
  });
});
