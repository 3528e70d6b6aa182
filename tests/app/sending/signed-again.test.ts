/** After a restore: bytes that are signed again, and what they brought was booked meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hotWalletOf, hotWalletText, type SendingChain } from '../../../src/app/sending/sending-chain.ts';
import { storeOutputs } from '../../../src/app/sending/utxos/store-outputs.ts';
import { postCapital } from '../../../src/app/shared/capital-entry.ts';
import { aHash } from '../../support/builders.ts';
import { aTxid } from '../../support/chains/utxo-builders.ts';
import { anOutgoing } from '../../support/payouts/outgoing-builders.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

const ASSET = 'btc_bitcoin';

describe.skipIf(!needs('postgres', postgresAvailable()))('a consolidation that a backup lacks', () => {
  let it: TestService;
  beforeAll(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' } });
  });
  afterAll(() => it.stop());

  test('is booked as capital when its block is read, and is no capital once it is signed again', async () => {
    const { dependencies: deps } = it.service;
    const on = it.service.sending.chains.get('bitcoin') as SendingChain;
    const txid = aTxid();
    const units = 17_045_931n;
    const block = { height: 84, hash: aHash() };
    const sum = async () => {
      const books = await deps.treasuryQueries.treasuryBooks('bitcoin', [ASSET], ASSET);
      return books[0]?.ledgerUnits ?? 0n;
    };
    await deps.unitOfWork.run(async (r) => {
      const utxo = { txid, vout: 0, address: hotWalletOf(on), units };
      await r.utxos.insertFunding('bitcoin', utxo, block);
      await postCapital(deps, r, {
        ...{ chain: 'bitcoin', asset: ASSET, address: null, units, block, note: 'received' },
        coin: { txid, vout: 0 },
      });
      await r.utxos.markBooked('bitcoin', utxo, true);
    });
    expect(await sum()).toBe(units);

    const transfer = anOutgoing({
      ...{ chain: 'bitcoin', asset: ASSET, purpose: 'consolidation', units },
      ...{ wallet: hotWalletOf(on), to: hotWalletText(on) },
    });
    const changeless = {
      ...on,
      sender: { ...on.sender, utxos: { ...on.sender.utxos!, changeOf: () => null } },
    };
    const sign = () =>
      deps.unitOfWork.run((r) =>
        storeOutputs(deps, r, changeless, {
          batch: [transfer],
          signed: { txid, raw: 'signed', voids: false },
        }),
      );
    await sign();
    await sign();
    expect(await sum()).toBe(0n);
  });
});
