/**
 * Signs a batch and stores the bytes before they can be broadcast (store-signed.ts). Network and
 * signer are asked outside transactions; what batches that are signed at the same time read and
 * write is read and written together.
 */

import { outpointText } from '../../../domain/chains/outpoint.ts';
import {
  allVoided,
  type OutgoingTransfer,
  paidOf,
  type SignedTransaction,
  type TransferBatch,
} from '../../../domain/sending/outgoing.ts';
import { failureOf } from '../../../domain/sending/outgoing-failure.ts';
import { delegationOf, leavesUs } from '../../../domain/sending/outgoing-purpose.ts';
import type { Repositories } from '../../../ports/repositories.ts';
import { SendingRefused, type UnsignedTransaction } from '../../../ports/sending/chain-sender.ts';
import { type SigningOrder, SigningRefused } from '../../../ports/sending/signer.ts';
import type { Utxo } from '../../../ports/sending/utxo-spending.ts';
import { inSets } from '../../shared/in-sets.ts';
import {
  batchOf,
  hotWalletText,
  lockBatch,
  normalized,
  type SendingChain,
  type SendingNeeds,
  stillIn,
  walletKey,
} from '../sending-chain.ts';
import { type Asked, applyRefusal } from './apply-refusal.ts';
import { type KeptNonces, keptNonces } from './kept-nonces.ts';
import { ownOf } from './own-money.ts';
import { recallBarred } from './recall-barred.ts';
import { recallRestored } from './recall-restored.ts';
import type { SignRefusal } from './refused-payout.ts';
import { dissolveBatch } from './split-batch.ts';
import { type BytesToStore, type StoreSigned, signedStore } from './store-signed.ts';

/** A fee above this many times an ordinary payment's is an outlier: the payment is to blame. */
const OUTLIER_FACTOR = 4n;

export type SigningResult =
  | { readonly kind: 'signed'; readonly transaction: SignedTransaction }
  /** `blamed`: transfer of the payment to blame; null when everything is refused alike. */
  | { readonly kind: 'refused'; readonly error: SignRefusal; readonly blamed: string | null }
  /** It has no nonce any more. */
  | { readonly kind: 'left' }
  /** Signing is not allowed now, or the batch has changed. */
  | { readonly kind: 'not_now' };

export const NOT_NOW: SigningResult = { kind: 'not_now' };

/** What the nodes said of a batch, ready for the signer. */
export interface PreparedBatch {
  readonly kind: 'prepared';
  readonly batch: TransferBatch;
  readonly order: Orders['order'];
  readonly inputs: readonly Utxo[];
  /** The signed transactions that it replaces, oldest first. */
  readonly earlier: readonly SignedTransaction[];
  readonly unsigned: UnsignedTransaction;
}

export interface BatchSigner {
  /**
   * Asks the nodes for the first transaction of a batch, or one that replaces `earlier`. It pays
   * the transfers that were not given up; where all were, it moves nothing. Throws
   * ChainUnavailable.
   */
  prepare(
    batch: TransferBatch,
    earlier: readonly SignedTransaction[],
  ): Promise<PreparedBatch | SigningResult>;
  /**
   * Signs a prepared batch, and stores the bytes. `placed`: called once the signer has signed;
   * returns the place of the bytes among those that are stored. Throws ChainUnavailable and
   * SignerUnavailable.
   */
  sign(prepared: PreparedBatch, placed?: () => BytesToStore['place']): Promise<SigningResult>;
}

/** Payments that begin to be signed together. */
const SET_MAX = 100;

export function batchSigner(deps: SendingNeeds, on: SendingChain): BatchSigner {
  const store = signedStore(deps, on);
  const kept = keptNonces(deps.clock);
  const first = inSets(
    SET_MAX,
    (batches: readonly TransferBatch[]) => firstOrders(deps, on, batches),
    ({ length }) => length,
  );
  return {
    prepare: (batch, earlier) => prepareBatch(deps, on, { first, kept }, { asked: batch, earlier }),
    sign: (prepared, placed = () => null) => signPrepared(deps, on, prepared, { store, placed }),
  };
}

type FirstOrders = (batch: TransferBatch) => Promise<Orders | null | 'barred'>;

async function prepareBatch(
  deps: SendingNeeds,
  on: SendingChain,
  { first, kept }: { readonly first: FirstOrders; readonly kept: KeptNonces },
  { asked, earlier }: { readonly asked: TransferBatch; readonly earlier: readonly SignedTransaction[] },
): Promise<PreparedBatch | SigningResult> {
  const orders = await ordersToSign(deps, on, first, { asked, earlier });
  if (orders === null) return NOT_NOW;
  const { batch, order, inputs, extraGas } = orders;
  const own = await ownOf(deps, on, order);
  if (own === null) return NOT_NOW;
  const payments = order.payments.map(({ to, units, referenceId }) => {
    const quoted = extraGas.get(referenceId);
    return { to, units, ...(quoted === undefined ? {} : { extraGas: quoted }) };
  });
  try {
    const unsigned = await on.sender.prepare({ ...order, ...own, inputs, payments }, earlier.at(-1) ?? null);
    return { kind: 'prepared', batch, order, inputs, earlier, unsigned };
  } catch (error) {
    if (!(error instanceof SendingRefused)) throw error;
    return refused(deps, on, batch, { error, feeIsOutlier: false, kept });
  }
}

async function signPrepared(
  deps: SendingNeeds,
  on: SendingChain,
  { batch, order, inputs, earlier, unsigned }: PreparedBatch,
  { store, placed }: { readonly store: StoreSigned; readonly placed: () => BytesToStore['place'] },
): Promise<SigningResult> {
  const { payload, maxFeeUnits, validUntil } = unsigned;
  const replaces = earlier.at(-1)?.txid ?? null;
  try {
    const { raw, txid, again } = await on.signer.sign({ ...order, inputs, payload, validUntil, replaces });
    if (again !== undefined) deps.logger.warn('signing.followed_earlier', { txid });
    const limits = again ?? { maxFeeUnits, validUntil };
    const signed = {
      ...{ transferBatchId: batch[0].transferBatchId, ordinal: earlier.length + 1 },
      ...{ txid, raw, voids: order.voids, ...limits, signedAt: deps.clock.now() },
    };
    if (!(await store({ asked: batch, signed, place: placed() }))) return NOT_NOW;
    return { kind: 'signed', transaction: { ...signed, broadcastAt: null } };
  } catch (error) {
    if (!(error instanceof SigningRefused)) throw error;
    const feeIsOutlier = error.because === 'fee' && (await isFeeOutlier(on, batch, maxFeeUnits));
    return refused(deps, on, batch, { error, feeIsOutlier });
  }
}

async function refused(
  deps: SendingNeeds,
  on: SendingChain,
  batch: TransferBatch,
  { error, ...why }: Pick<Asked, 'feeIsOutlier' | 'kept'> & { readonly error: SignRefusal },
): Promise<SigningResult> {
  const [{ transferBatchId }] = batch;
  const blamed = await applyRefusal(deps, on, { transferBatchId, asked: paidOf(batch), ...why }, error);
  return { kind: 'refused', error, blamed };
}

/** Null when nothing may be signed for the batch at present, or it lacks its UTXOs. */
async function ordersToSign(
  deps: SendingNeeds,
  on: SendingChain,
  first: FirstOrders,
  { asked, earlier }: { readonly asked: TransferBatch; readonly earlier: readonly SignedTransaction[] },
): Promise<Orders | null> {
  const found = earlier.length === 0 ? await first(asked) : 'again';
  const orders =
    found === 'barred' || found === 'again'
      ? await ordersAlone(deps, on, { lead: asked[0], earlier })
      : found;
  if (orders === null) return null;
  const { batch, inputs } = orders;
  if (on.sender.utxos !== null && inputs.length === 0) return null;
  return earlier.length === 0 && (await dissolveIfUtxosLost(deps, on, batch, inputs)) ? null : orders;
}

/** Of batches that nothing was signed for. `barred`: transfers may have to leave it first. */
function firstOrders(
  { unitOfWork }: SendingNeeds,
  on: SendingChain,
  asked: readonly TransferBatch[],
): Promise<readonly (Orders | null | 'barred')[]> {
  const ids = asked.map(([{ transferBatchId }]) => transferBatchId);
  return unitOfWork.run(async (repositories) => {
    const { outgoing, payouts } = repositories;
    if ((await outgoing.findSigningStop()) !== null) return asked.map(() => null);
    const barred = await payouts.barredIn(ids);
    const batches = Map.groupBy(await outgoing.ofBatches(ids), ({ transferBatchId }) => transferBatchId);
    const paysOut = asked.some(([{ purpose }]) => purpose === 'payout');
    const extraGas = paysOut ? await payouts.extraGasIn(ids) : new Map();
    const orders: (Orders | null | 'barred')[] = [];
    for (const id of ids) {
      const batch = stillIn(batches.get(id) ?? []);
      if (batch?.some(({ referenceId }) => barred.has(referenceId)) === true) orders.push('barred');
      else orders.push(batch && (await ordersFor(repositories, on, batch, extraGas)));
    }
    return orders;
  });
}

function ordersAlone(
  deps: SendingNeeds,
  on: SendingChain,
  { lead, earlier }: { readonly lead: OutgoingTransfer; readonly earlier: readonly SignedTransaction[] },
): Promise<Orders | null> {
  const { transferBatchId, purpose } = lead;
  return deps.unitOfWork.run(async (repositories) => {
    if ((await repositories.outgoing.findSigningStop()) !== null) return null;
    if (earlier.length === 0 && (await recallBarred(deps, repositories, transferBatchId))) return null;
    if (leavesUs(lead) && (await recallRestored(repositories, on, earlier))) return null;
    const batch = await batchOf(repositories, transferBatchId);
    if (batch === null) return null;
    const extraGas =
      purpose === 'payout' ? await repositories.payouts.extraGasIn([transferBatchId]) : new Map();
    return ordersFor(repositories, on, batch, extraGas);
  });
}

/**
 * Whether the fee is far above an ordinary payment's now: then the present price is not the cause.
 */
async function isFeeOutlier(
  { sender }: SendingChain,
  [{ asset }]: TransferBatch,
  feeUnits: bigint,
): Promise<boolean> {
  return feeUnits > OUTLIER_FACTOR * (await sender.price({ asset, to: null })).maxUnits;
}

interface Orders {
  readonly batch: TransferBatch;
  readonly order: Omit<SigningOrder, 'payload' | 'inputs' | 'validUntil' | 'replaces'>;
  readonly inputs: readonly Utxo[];
  /** Of each payout, by its id. */
  readonly extraGas: ReadonlyMap<string, bigint | null>;
}

/** The batch as it is to be prepared and signed. */
async function ordersFor(
  repositories: Repositories,
  on: SendingChain,
  batch: TransferBatch,
  extraGas: Orders['extraGas'],
): Promise<Orders> {
  const [{ transferBatchId, wallet, nonce, purpose, asset }] = batch;
  const voids = allVoided(batch);
  const feePayer = purpose === 'sweep' && on.sender.capabilities.hotWalletPaysFees ? hotWalletText(on) : null;
  const payments = [];
  for (const { id: transferId, referenceId, to, units } of paidOf(batch)) {
    const toKey = leavesUs({ purpose })
      ? null
      : await walletKey(repositories, on, normalized(on.deriver, to));
    payments.push({ transferId, referenceId, to, toKey, units });
  }
  const key = await walletKey(repositories, on, wallet);
  const inputs = on.sender.utxos === null ? [] : await inputsOf(repositories, { transferBatchId, voids });
  return {
    ...{ batch, inputs, extraGas },
    order: {
      ...{ chain: on.chain, key, wallet, nonce, purpose, asset, payments, voids, feePayer },
      ...delegationOf(purpose),
    },
  };
}

/**
 * The UTXOs of the batch. Where it was given up they come back to us, and lost ones are left out.
 */
async function inputsOf(
  { utxos }: Repositories,
  { transferBatchId, voids }: { transferBatchId: string; voids: boolean },
): Promise<readonly Utxo[]> {
  const claimed = await utxos.ofBatch(transferBatchId);
  if (!voids) return claimed;
  const lost = new Set((await utxos.lostOf(transferBatchId)).map(outpointText));
  return claimed.filter((utxo) => !lost.has(outpointText(utxo)));
}

/**
 * Dissolves a batch of which a UTXO is gone: a reorganisation removed its block, or somebody else
 * spent it, so that no block could take it. A child spends a UTXO that is in no block, on purpose.
 * Returns whether a UTXO is gone.
 */
async function dissolveIfUtxosLost(
  deps: SendingNeeds,
  { chain, sender }: SendingChain,
  [{ transferBatchId, purpose }]: TransferBatch,
  inputs: readonly Utxo[],
): Promise<boolean> {
  if (sender.utxos === null || purpose === 'bump') return false;
  const cursor = await deps.unitOfWork.run(({ chains }) => chains.cursor(chain));
  const there = await sender.utxos.unspent(inputs, cursor?.finalizedHeight);
  const missing = inputs.filter((_, index) => !there[index]);
  return deps.unitOfWork.run(async (repositories) => {
    const lost = await repositories.utxos.lostOf(transferBatchId);
    if (missing.length + lost.length === 0) return false;
    await lockBatch(repositories, transferBatchId);
    // Otherwise another worker has signed it meanwhile, and its own transaction spent them.
    const reason = failureOf('coin_lost', 'a UTXO that it was to spend is gone');
    if (!(await dissolveBatch(repositories, transferBatchId, reason))) return true;
    await repositories.utxos.doubt(chain, missing, true);
    deps.logger.warn('transfer.coins_replaced', {
      ...{ chain, transferBatchId },
      utxos: [...missing, ...lost].map(outpointText),
    });
    return true;
  });
}
