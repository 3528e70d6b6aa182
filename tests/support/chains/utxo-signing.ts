/**
 * The signer on a UTXO chain, with a stand-in for the family's own part: what is tested are the
 * rules, the log and the wire, whatever the payload is.
 */
import { join } from 'node:path';
import { keystoreSigner } from '../../../src/adapters/signer/keystore-signer.ts';
import type { SignedEntry } from '../../../src/adapters/signer/signing-entry.ts';
import { openSigningLog } from '../../../src/adapters/signer/signing-log.ts';
import { verifySigningLog } from '../../../src/adapters/signer/verify-signing-log.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { type SigningPolicy, UNLIMITED_SIGNING } from '../../../src/domain/sending/signing-policy.ts';
import type { FamilySigning } from '../../../src/ports/sending/family-signing.ts';
import {
  type Signer,
  type SigningInput,
  type SigningOrder,
  type SigningPayment,
  SigningRefused,
} from '../../../src/ports/sending/signer.ts';
import type { SigningRecords } from '../../../src/ports/sending/signing-records.ts';
import { anId } from '../builders.ts';
import { silentLogger } from '../runtime/silent-logger.ts';
import { temporaryDirectory } from '../runtime/temp-directory.ts';
import { type TestClock, testClock } from '../runtime/test-clock.ts';
import { aTxid } from './utxo-builders.ts';

export const BTC = 'btc_bitcoin';
export const HOT = 'hot wallet';

/**
 * Addresses are names of keys, or `stranger`s; the payload is not read, and signing makes bytes of
 * it.
 */
const FAMILY: FamilySigning = {
  normalize: (address) => address.toLowerCase(),
  addressOf: async (key) => (key.role === 'hot' ? HOT : `${key.role} ${key.index}`),
  check: async () => ({ maxFeeUnits: 1_000n }),
  sign: async ({ payload }) => ({
    raw: `signed ${payload}`,
    txid: new Bun.CryptoHasher('sha256').update(payload).digest('hex'),
  }),
};

export interface CoinSigning {
  readonly clock: TestClock;
  /** Closes the signer, and opens it again with what its log says. */
  restart(): Promise<void>;
  policy(change: Partial<SigningPolicy>): void;
  sign: Signer['sign'];
  refusal(order: SigningOrder): Promise<SigningRefused>;
  logged(): Promise<readonly SignedEntry[]>;
  close(): Promise<void>;
}

/**
 * `records`: null where the caller is believed, as in the worker's own process. `aliveUntil`: as on
 * a chain of free nonces.
 */
export async function openCoinSigning(
  records: SigningRecords | null = null,
  capabilities: Pick<FamilySigning, 'aliveUntil'> = {},
): Promise<CoinSigning> {
  const folder = await temporaryDirectory();
  const path = join(folder.path, 'signer.log');
  const clock = testClock();
  let policy = UNLIMITED_SIGNING;
  const open = async () =>
    keystoreSigner({
      catalog: new AssetCatalog(),
      chainId: () => null,
      families: new Map([['bitcoin', { ...FAMILY, ...capabilities }]]),
      policy: async () => policy,
      log: await openSigningLog({ path, now: clock.now, logger: silentLogger }),
      ...{ records, clock },
    });
  let signer = await open();
  const logged = async () => {
    const entries: SignedEntry[] = [];
    await verifySigningLog(path, (entry) => entries.push(entry));
    return entries;
  };
  return {
    clock,
    policy(change) {
      policy = { ...UNLIMITED_SIGNING, ...change };
    },
    sign: (order) => signer.sign(order),
    async refusal(order) {
      const before = (await logged()).length;
      const error: unknown = await signer.sign(order).then(
        () => 'it was signed',
        (reason: unknown) => reason,
      );
      if (!(error instanceof SigningRefused)) throw new Error(`not refused: ${String(error)}`);
      if ((await logged()).length !== before) throw new Error('what was refused is in the log');
      return error;
    },
    logged,
    async restart() {
      await signer.close();
      signer = await open();
    },
    async close() {
      await signer.close();
      await folder.remove();
    },
  };
}

/** Limits of bitcoin, in satoshi. */
export function limits(given: {
  transaction?: bigint;
  day?: bigint;
}): Pick<SigningPolicy, 'limits' | 'resign'> {
  const { transaction: perTransactionUnits = null, day: perDayUnits = null } = given;
  return { limits: new Map([[BTC, { perTransactionUnits, perDayUnits }]]), resign: new Set() };
}

export function payment(given: Partial<SigningPayment> = {}): SigningPayment {
  const id = anId();
  return { transferId: id, referenceId: anId(), to: `stranger ${id}`, toKey: null, units: 1_000n, ...given };
}

export function input(given: Partial<SigningInput> = {}): SigningInput {
  return { txid: aTxid(), vout: 0, key: { role: 'hot' }, units: 50_000n, ...given };
}

let nonces = 0n;

/** Two payouts from two UTXOs, under the next nonce. */
export function coinOrder(given: Partial<SigningOrder> = {}): SigningOrder {
  nonces += 1n;
  return {
    chain: 'bitcoin',
    key: { role: 'hot' },
    wallet: HOT,
    nonce: nonces,
    purpose: 'payout',
    feePayer: null,
    validUntil: null,
    replaces: null,
    asset: BTC,
    payments: [payment(), payment()],
    inputs: [
      input({ vout: 7, key: { role: 'deposit', index: 3 } }),
      input({ key: { role: 'change', index: 12 } }),
    ],
    voids: false,
    payload: anId(),
    ...given,
  };
}

/** The same order with higher fees, or with something else in it. */
export function replacing(order: SigningOrder, change: Partial<SigningOrder> = {}): SigningOrder {
  return { ...order, payload: anId(), ...change };
}
