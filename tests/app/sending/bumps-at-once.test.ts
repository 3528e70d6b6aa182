/** Two workers that order the same transfer of UTXOs to ourselves at the same time. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Database, openDatabase } from '../../../src/adapters/postgres/client/client.ts';
import { hotWalletOf, type SendingChain } from '../../../src/app/sending/sending-chain.ts';
import { spendOwn } from '../../../src/app/sending/utxos/claim-utxos.ts';
import { anId } from '../../support/builders.ts';
import { aUtxo } from '../../support/chains/utxo-builders.ts';
import { postgresAvailable } from '../../support/postgres/postgres.ts';
import { needs } from '../../support/runtime/needs.ts';
import { silentLogger } from '../../support/runtime/silent-logger.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

describe.skipIf(!needs('postgres', postgresAvailable()))('two workers of a UTXO chain', () => {
  let it: TestService;
  let database: Database;
  beforeAll(async () => {
    it = await startTestService({ env: { CHAINS: 'fake' } });
    database = openDatabase({ url: it.databaseUrl, poolSize: 1, logger: silentLogger });
  });
  afterAll(async () => {
    await database.close();
    await it.stop();
  });

  const chainOf = (name: string) => it.service.sending.chains.get(name) as SendingChain;
  const open = ({ chain }: SendingChain) =>
    it.service.dependencies.unitOfWork.run(({ outgoing }) => outgoing.open(chain, 10));
  /** Each waits for the wallet before the other goes on. Throws what one of them throws. */
  async function atOnce(on: SendingChain, orders: readonly (() => Promise<void>)[]): Promise<void> {
    const { ordered } = await it.service.dependencies.unitOfWork.run(async ({ outgoing }) => {
      await outgoing.lockWallet({ chain: on.chain, address: hotWalletOf(on) });
      const ordered = Promise.allSettled(orders.map((order) => order()));
      while ((await database.query(WAITING)).length < orders.length) await Bun.sleep(5);
      return { ordered };
    });
    for (const end of await ordered) if (end.status === 'rejected') throw end.reason;
  }

  test('make one child for a batch that both bump, and neither of them fails', async () => {
    const { dependencies: deps } = it.service;
    const on = chainOf('bitcoin');
    const [batch, one, other] = [anId(), anId(), anId()];
    const bump = (id: string) =>
      spendOwn(deps, on, id, { purpose: 'bump', referenceId: batch, units: 1_000n, utxos: [] });

    await atOnce(on, [() => bump(one), () => bump(other)]);
    expect((await open(on)).map(({ purpose, referenceId }) => [purpose, referenceId])).toEqual([
      ['bump', batch],
    ]);
  });

  test('make a child that spends change which was missing while its block was gone', async () => {
    const { dependencies: deps } = it.service;
    const on = chainOf('bitcoincash');
    const [change, id] = [aUtxo(), anId()];
    await deps.unitOfWork.run(async (r) => {
      await r.utxos.insert(on.chain, [change]);
      await r.utxos.doubt(on.chain, [change], true);
    });
    await spendOwn(deps, on, id, { purpose: 'bump', referenceId: anId(), units: 1_000n, utxos: [change] });
    const [child] = await open(on);
    expect(await deps.unitOfWork.run((r) => r.utxos.ofBatch(child!.transferBatchId))).toEqual([change]);
  });

  test('consolidate the same UTXOs once, and neither of them fails', async () => {
    const { dependencies: deps } = it.service;
    const on = chainOf('litecoin');
    const utxos = [aUtxo(), aUtxo()];
    await deps.unitOfWork.run(async (r) => {
      await r.utxos.insert(on.chain, utxos);
      for (const { txid } of utxos) await r.utxos.settle(on.chain, txid, 5);
    });
    const consolidate = (id: string) =>
      spendOwn(deps, on, id, { purpose: 'consolidation', referenceId: id, units: 1_000n, utxos });

    await atOnce(on, [() => consolidate(anId()), () => consolidate(anId())]);
    const [made, ...others] = await open(on);
    expect(others).toEqual([]);
    expect(await deps.unitOfWork.run((r) => r.utxos.ofBatch(made!.transferBatchId))).toHaveLength(2);
  });
});
