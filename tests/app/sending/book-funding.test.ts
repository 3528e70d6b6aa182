/** What the operator sends to the hot wallet of a UTXO chain is booked coin by coin. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { bookFunding } from '../../../src/app/sending/book-funding.ts';
import type { SendingChain } from '../../../src/app/sending/sending-chain.ts';
import { aHash, anAddress, anId, NOW } from '../../support/builders.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('the funding of a hot wallet', () => {
  let it: TestService;
  beforeAll(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' } });
  });
  afterAll(() => it.stop());

  test('is booked once for each UTXO, however many came in one block or are found there later', async () => {
    const { dependencies: deps } = it.service;
    const chain = `chain-${anId()}`;
    // Only what booking asks for.
    const sender = { nativeAsset: 'btc_bitcoin' } as unknown as SendingChain['sender'];
    const book = () => bookFunding(deps, { chain, sender });
    const block = { height: 7, hash: aHash() };
    const [address, txid] = [anAddress(), aHash()];
    const arrives = (vout: number) =>
      deps.unitOfWork.run((r) =>
        r.utxos.insertFunding(chain, { txid, vout, address, units: 50_000n }, block),
      );
    await deps.unitOfWork.run((r) =>
      r.chains.moveCursor(chain, null, { height: 9, hash: aHash(), coveredUntil: NOW, finalizedHeight: 8 }),
    );
    await arrives(0);
    await arrives(1);
    expect(await book()).toBe(2);
    await arrives(1);
    expect(await book()).toBe(0);
    await arrives(2);
    expect(await book()).toBe(1);
    expect(await deps.operatorQueries.reconciliationFaults()).toEqual([]);
    const [books] = await deps.treasuryQueries.treasuryBooks(chain, ['btc_bitcoin'], 'btc_bitcoin');
    expect(books).toMatchObject({ recordedUnits: 150_000n, ledgerUnits: 150_000n });
  });
});
