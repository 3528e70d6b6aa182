/**
 * The signer as its users run it, as a process on a database of its own, with what an order needs
 * stored there.
 */
import { join } from 'node:path';
import { postgresUnitOfWork } from '../../../src/adapters/postgres/unit-of-work.ts';
import { readPublicKeys } from '../../../src/adapters/signer/keystore.ts';
import { socketSigner } from '../../../src/adapters/signer/socket-signer.ts';
import type { Payout } from '../../../src/domain/payouts/payout-record.ts';
import { allocatedTransfer, type OutgoingTransfer } from '../../../src/domain/sending/outgoing.ts';
import { failureOf } from '../../../src/domain/sending/outgoing-failure.ts';
import type { Signer, SigningOrder } from '../../../src/ports/sending/signer.ts';
import { aMerchant, aPayout, NOW } from '../builders.ts';
import { noteWallet } from '../payouts/noted-wallet.ts';
import { type SigningWorld, signingWorld } from '../payouts/signing-world.ts';
import { type TestDatabase, testDatabase } from '../postgres/postgres.ts';
import { endsWithUs } from '../runtime/ends-with-us.ts';
import { TEST_MASTER_KEY } from '../test-service.ts';
import { paymentOf } from '../utxo/lone-orders.ts';

const SCRIPT = join(import.meta.dir, '..', '..', '..', 'scripts', 'signer.ts');

/** A payout has one transfer that may still happen: an earlier one has ended. */
const GIVEN_UP = `
  update outgoing_transfers set status = 'failed', failure = 'given up', failure_code = 'operator'
  where purpose = $1 and reference_id = $2 and id <> $3 and status <> 'failed'`;

export interface SignerProcess {
  /** What it wrote to standard error. */
  readonly complaints: Promise<string>;
  readonly exited: Promise<number>;
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number>;
}

/** Resolves when it listens, or has ended. */
export async function startSigner(env: Readonly<Record<string, string>>): Promise<SignerProcess> {
  const { PATH = '', HOME = '/' } = process.env;
  const child = Bun.spawn([process.execPath, SCRIPT], {
    env: { PATH, HOME, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  endsWithUs(child);
  const ready = Promise.withResolvers<void>();
  const read = async (): Promise<void> => {
    let heard = '';
    for await (const chunk of child.stdout) {
      heard += new TextDecoder().decode(chunk);
      if (heard.includes('"event":"service.ready"')) ready.resolve();
    }
    ready.resolve();
  };
  void read();
  await ready.promise;
  return {
    complaints: new Response(child.stderr).text(),
    exited: child.exited,
    kill(signal) {
      child.kill(signal);
      return child.exited;
    },
  };
}

export interface SignerLab {
  readonly world: SigningWorld;
  readonly database: TestDatabase;
  readonly signer: Signer;
  readonly socket: string;
  readonly env: Readonly<Record<string, string>>;
  /**
   * The rows of an order as it is, or with something else in them; an order that is stored already
   * is left alone.
   */
  store(
    order: SigningOrder,
    other?: { transfer?: Partial<OutgoingTransfer>; payout?: Partial<Payout> },
  ): Promise<void>;
  close(): Promise<void>;
}

/** Everything but the process. */
export async function signerLab(): Promise<SignerLab> {
  // Tests make roles, and a pooler knows those of its own file only.
  const [world, database] = await Promise.all([signingWorld(), testDatabase({ pooled: false })]);
  const unitOfWork = postgresUnitOfWork(database.database);
  await noteWallet(database.database, await readPublicKeys(world.dataDir));
  const merchant = aMerchant();
  await unitOfWork.run((repositories) => repositories.merchants.insert(merchant));
  const socket = join(world.dataDir, 'signer.sock');
  const signer = socketSigner({ path: socket });
  return {
    world,
    database,
    signer,
    socket,
    env: {
      DATABASE_URL: database.url,
      MASTER_KEY: TEST_MASTER_KEY,
      DATA_DIR: world.dataDir,
      SIGNER_POLICY: world.policyFile,
    },
    async store(order, { transfer = {}, payout = {} } = {}) {
      const { transferId, referenceId } = paymentOf(order);
      await database.database.query(GIVEN_UP, [order.purpose, referenceId, transferId]);
      await unitOfWork.run(async (repositories) => {
        const known = await repositories.outgoing.lock(transferId);
        if (known) {
          await repositories.outgoing.save({ ...known, voided: order.voids, failure: failureOf('operator') });
          return;
        }
        if (order.purpose === 'payout' && !(await repositories.payouts.lock(referenceId)))
          await repositories.payouts.insert(payoutOf(order, { merchantId: merchant.id, ...payout }));
        await repositories.outgoing.insert({ ...transferOf(order), ...transfer });
      });
    },
    async close() {
      await signer.close();
      await database.drop();
      await world.remove();
    },
  };
}

function payoutOf(order: SigningOrder, change: Partial<Payout>): Payout {
  const { referenceId: id, to: address, units } = paymentOf(order);
  return aPayout({ id, asset: order.asset, address, amountUnits: units, sentUnits: units, ...change });
}

function transferOf(order: SigningOrder): OutgoingTransfer {
  const { chain, wallet, nonce, purpose, asset, voids } = order;
  const { transferId: id, referenceId, to, units } = paymentOf(order);
  const place = { chain, wallet, nonce, createdAt: NOW };
  const transfer = allocatedTransfer({ id, ...place, purpose, referenceId, asset, to, units });
  return voids ? { ...transfer, voided: true, failure: failureOf('operator') } : transfer;
}
