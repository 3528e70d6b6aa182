/** Coins are held against the chain by nodes that have come to their blocks. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { utxoDeriver } from '../../../src/adapters/chains/utxo/deriver.ts';
import { utxoSpending } from '../../../src/adapters/chains/utxo/send/spendable.ts';
import { publicKeysOf } from '../../../src/adapters/signer/keystore.ts';
import type { SendingChain } from '../../../src/app/sending/sending-chain.ts';
import { reconcileChain } from '../../../src/app/treasury/reconcile-chain.ts';
import { aHash, anId, NOW } from '../../support/builders.ts';
import { aTxid } from '../../support/chains/utxo-builders.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';
import { PHRASE } from '../../support/utxo/utxo-orders.ts';
import { stubSending } from '../../support/utxo/utxo-stub.ts';

describe.skipIf(!needs('postgres', postgresAvailable()))('a UTXO chain', () => {
  let it: TestService;
  beforeAll(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' } });
  });
  afterAll(() => it.stop());

  test('is not said to have lost money by a node that has not come to the block of a coin yet', async () => {
    const { dependencies: deps } = it.service;
    const chain = `chain-${anId()}`;
    const address = `bc1q${anId()}`;
    await deps.unitOfWork.run(async (r) => {
      const cursor = { height: 30, hash: aHash(), coveredUntil: NOW, finalizedHeight: 29 };
      await r.chains.moveCursor(chain, null, cursor);
      const utxo = { txid: aTxid(), vout: 0, address, units: 50_000n };
      await r.utxos.insertFunding(chain, utxo, { height: 20, hash: aHash() });
    });
    // The first node was restarted from an old copy and is catching up.
    const tip = { height: 15, hash: 'f'.repeat(64), parentHash: 'e'.repeat(64), time: 1 };
    const lagging = { unspent: async () => null, tip: async () => tip, headerAt: async () => null };
    const sending = await stubSending('bitcoin', [lagging]);
    const sender = { chain, nativeAsset: 'btc_bitcoin', utxos: utxoSpending(sending) };
    const accountXpub = (await publicKeysOf(PHRASE)).bitcoin.xpub;
    const deriver = utxoDeriver({ network: sending.network, accountXpub });
    const on = { chain, family: 'bitcoin', sender, deriver } as unknown as SendingChain;
    const found = await reconcileChain(deps, on, { height: null });
    expect(found.differences.filter(({ kind }) => kind === 'unrecorded_outgoing')).toEqual([]);
    expect(found.unavailable).toContain('has no block 30');
  });
});
