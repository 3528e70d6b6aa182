/**
 * A gateway on anvil whose database, or whole DATA_DIR, is put back from a backup while the chain
 * went on: one service at a time on one database, started anew as often as a test likes. The clock
 * goes with the chain's.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EvmLab, type LogLine, openEvmLab, recordingLogger } from '../evm/evm-lab.ts';
import { databaseBackup } from '../postgres/database-backup.ts';
import { type TestDatabase, testDatabase } from '../postgres/postgres.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';
import { type Json, startTestService, type TestService } from '../test-service.ts';

export interface RestoreStage {
  readonly lab: EvmLab;
  readonly clock: TestClock;
  readonly database: TestDatabase;
  readonly dataDir: string;
  /** Log lines of the service that runs. */
  lines(): readonly LogLine[];
  it(): TestService;
  /**
   * Ends the service that runs and starts another one, which runs its jobs once unless they are
   * idle.
   */
  restart(options?: { idle?: boolean }): Promise<TestService>;
  stop(): Promise<void>;
  /** Database and DATA_DIR as they are now. */
  backUp(): Promise<void>;
  /**
   * With no service running. `dataDir`: put back as well, and so the signer's log and the record of
   * addresses.
   */
  putBack(options: { dataDir: boolean }): Promise<void>;
  /** So many blocks, `seconds` after each other, seen by the service if one runs. */
  mine(count: number, seconds?: number): Promise<void>;
  close(): Promise<void>;
}

const CONFIRMATIONS = 2;

export async function openRestoreStage(
  file: Json = {},
  env: Record<string, string> = {},
): Promise<RestoreStage> {
  const [lab, database] = [await openEvmLab(), await testDatabase()];
  await lab.mine(10);
  const kept = databaseBackup(database.url);
  const folder = await mkdtemp(join(tmpdir(), 'quittance-test-'));
  const [dataDir, copy] = [join(folder, 'data'), join(folder, 'copy')];
  const clock = testClock();
  let current: { it: TestService; lines: readonly LogLine[] } | null = null;

  const tipTime = async (): Promise<number> =>
    Number((await lab.anvil.rpc<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])).timestamp);

  async function start({ idle = false } = {}): Promise<TestService> {
    clock.advance(Math.max(0, (await tipTime()) - clock.now().getTime() / 1000));
    const logger = recordingLogger();
    const it = await startTestService({
      ...{ databaseUrl: database.url, dataDir, env },
      file: {
        chains: {
          ethereum: { rpc: [lab.anvil.url], chain_id: 31_337, confirmations: CONFIRMATIONS, start_height: 1 },
        },
        assets: { usdt_ethereum: { contract: lab.contracts.tether }, usdc_ethereum: { enabled: false } },
        ...file,
      },
      overrides: { clock, logger },
    });
    current = { it, lines: logger.lines };
    if (!idle) await it.settle();
    return it;
  }

  const stage: RestoreStage = {
    ...{ lab, clock, database, dataDir },
    lines: () => current?.lines ?? [],
    it() {
      if (current === null) throw new Error('no service runs');
      return current.it;
    },
    async restart(options) {
      await stage.stop();
      return start(options);
    },
    async stop() {
      const running = current;
      current = null;
      await running?.it.stop();
    },
    async backUp() {
      await kept.take();
      await rm(copy, { recursive: true, force: true });
      await cp(dataDir, copy, { recursive: true });
    },
    async putBack({ dataDir: alsoThat }) {
      if (current !== null) throw new Error('a service runs');
      await kept.putBack();
      if (!alsoThat) return;
      await rm(dataDir, { recursive: true });
      await cp(copy, dataDir, { recursive: true });
    },
    async mine(count, seconds = 12) {
      for (let block = 0; block < count; block += 1) {
        await lab.anvil.rpc('evm_setNextBlockTimestamp', [(await tipTime()) + seconds]);
        await lab.mine();
      }
      clock.advance(Math.max(0, (await tipTime()) - clock.now().getTime() / 1000));
      await current?.it.settle();
    },
    async close() {
      await stage.stop();
      await kept.close();
      await database.drop();
      await lab.anvil.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await start();
  return stage;
}
