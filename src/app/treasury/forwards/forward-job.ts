/**
 * Looks regularly whether a chain's hot wallet has more than it needs, and forwards it to the cold
 * address that the signer names. A worker's configuration has the thresholds only. What bars a
 * forward is logged when it changes; a forward that takes too long is an alarm. Several workers may
 * do the same at the same time.
 */

import type { OutgoingTransfer } from '../../../domain/sending/outgoing.ts';
import { isOpenTransfer } from '../../../domain/sending/outgoing.ts';
import { FORWARD_BARS, type ForwardBar, forwardBar } from '../../../domain/treasury/forward.ts';
import { SigningRefused } from '../../../ports/sending/signer.ts';
import type { ForwardRequest } from '../../../ports/treasury/treasury-repositories.ts';
import { scannedAssetsOf } from '../../catalog/assets-of-chain.ts';
import { refusedDestination } from '../../payouts/payout-destination.ts';
import { nonceFinder } from '../../sending/nonces/next-nonce.ts';
import { aheadOfUs } from '../../sending/nonces/nonce-ahead.ts';
import type { SendingChain } from '../../sending/sending-chain.ts';
import { warnIfUnavailable } from '../../shared/tolerate-outage.ts';
import type { WorkerJob } from '../../shared/worker-job.ts';
import type { Forwarding, ForwardNeeds, ForwardSettings, WantedForward } from './forwarding.ts';
import { orderForward } from './order-forward.ts';

/** As many failed ones as make a pause longer. */
const NEWEST = 8;
/** A forward that is open for longer is an alarm, again and again. */
const LATE_MS = 2 * 3_600_000;
/** An alarm about the cold address is repeated. */
const REMIND_MS = 3_600_000;
/** A request that could not be carried out for so long ends: nobody waits for it any more. */
const REQUEST_MS = 24 * 3_600_000;

export interface Forwarder {
  readonly chain: string;
  /** Rejects with ChainUnavailable or SignerUnavailable when it could not go on. */
  step(stopping?: AbortSignal): Promise<void>;
}

/** The forwards of a chain, and what is remembered of them by asset: a restart may forget it. */
interface Remembering extends Forwarding {
  readonly barredBy: Map<string, ForwardBar>;
  /** When an alarm was raised last, in milliseconds. */
  readonly alarmedAt: Map<string, number>;
}

export function forwardJob(deps: ForwardNeeds, { chain, step }: Forwarder, everyMs: number): WorkerJob {
  return {
    name: `forward:${chain}`,
    everyMs,
    run: (stopping) =>
      warnIfUnavailable(deps.logger, { chain, event: 'chain.unforwardable' }, () => step(stopping)),
  };
}

export function forwarder(deps: ForwardNeeds, on: SendingChain, settings: ForwardSettings): Forwarder {
  const nextNonce = nonceFinder(deps, on, { aheadOfUs: aheadOfUs(deps, on) });
  const remembering = { ...settings, deps, on, nextNonce, barredBy: new Map(), alarmedAt: new Map() };
  return {
    chain: on.chain,
    async step(stopping) {
      for (const asset of settings.rules.keys()) {
        if (stopping?.aborted) return;
        await forwardAsset(remembering, asset);
      }
    },
  };
}

async function forwardAsset(remembering: Remembering, asset: string): Promise<void> {
  const { deps, rules, barredBy } = remembering;
  const rule = rules.get(asset);
  // An asset that is switched off, or cannot be read now, is left alone.
  if (rule === undefined || !scannedAssetsOf(deps, remembering.on.chain).includes(asset)) return;
  const { facts, request } = await readFacts(remembering, asset);
  for (const forward of facts.newest.filter(isOpenTransfer)) alarmIfLate(remembering, forward);
  const bar = forwardBar(facts, deps.clock.now());
  if (bar !== null) return noteBar(remembering, asset, bar, request);
  const cold = await coldAddressFor(remembering, asset);
  if (typeof cold !== 'string') return noteBar(remembering, asset, cold.bar, request);
  const wanted: WantedForward = { asset, rule, cold, requested: request !== null };
  const ordered = await orderForward(remembering, wanted);
  if (ordered.kind === 'barred') return noteBar(remembering, asset, ordered.bar, request);
  barredBy.delete(asset);
  if (ordered.kind === 'ordered')
    deps.logger.info('forward.ordered', {
      ...{ chain: remembering.on.chain, asset, transferId: ordered.id, units: ordered.units.toString() },
      ...{ requested: wanted.requested },
    });
  else if (request !== null) await dropRequest(remembering, request, 'there is not enough of it');
}

function readFacts({ deps, on, gate, books: booksOf }: Remembering, asset: string) {
  const { chain } = on;
  const books = booksOf(chain);
  return deps.unitOfWork.run(async ({ outgoing, payouts, unknown, forwardRequests }) => {
    const requests = await forwardRequests.ofChain(chain);
    const request = requests.find((row) => row.asset === asset) ?? null;
    const owed = await payouts.unallocated(scannedAssetsOf(deps, chain));
    const facts = {
      stopped: (await outgoing.findSigningStop()) !== null,
      gateIsShut: gate.isShut(),
      books,
      unknownSinceBooks: books !== null && (await unknown.paidSince(chain, books.at)),
      lackingPayouts: owed.reduce((sum, { lacking }) => sum + lacking, 0),
      newest: await outgoing.newestForwards(asset, NEWEST),
      requested: request !== null,
    };
    return { facts, request };
  });
}

/**
 * The signer's answer, unless it may not be paid: an address of ours would take the money nowhere,
 * and a later sweep would bring it back.
 */
async function coldAddressFor(
  remembering: Remembering,
  asset: string,
): Promise<string | { readonly bar: ForwardBar }> {
  const { deps, on } = remembering;
  const { chain, signer } = on;
  try {
    const cold = await signer.coldAddress({ chain, asset });
    if (cold === null) return alarmed(remembering, asset, 'no_cold_address', null);
    const refusal = await deps.unitOfWork.run((repositories) =>
      refusedDestination(deps, repositories, deps.catalog.require(asset), cold),
    );
    return refusal === null ? cold : alarmed(remembering, asset, 'own_address', refusal.message);
  } catch (error) {
    // Also a signer of an earlier version, which does not know the question.
    if (error instanceof SigningRefused) return alarmed(remembering, asset, 'no_cold_address', error.message);
    throw error;
  }
}

function alarmed(
  { deps, on, alarmedAt }: Remembering,
  asset: string,
  bar: ForwardBar,
  reason: string | null,
): { readonly bar: ForwardBar } {
  const now = deps.clock.now().getTime();
  if (now - (alarmedAt.get(asset) ?? 0) >= REMIND_MS) {
    alarmedAt.set(asset, now);
    deps.logger.error('forward.no_cold_address', {
      ...{ chain: on.chain, asset, code: bar, reason: reason ?? FORWARD_BARS[bar] },
    });
  }
  return { bar };
}

function alarmIfLate({ deps, on, alarmedAt }: Remembering, forward: OutgoingTransfer): void {
  const now = deps.clock.now().getTime();
  const { id: transferId, asset, createdAt, status, voided } = forward;
  if (now - Math.max(createdAt.getTime(), alarmedAt.get(transferId) ?? 0) < LATE_MS) return;
  alarmedAt.set(transferId, now);
  deps.logger.error('forward.late', {
    ...{ chain: on.chain, asset, transferId, status, voided, since: createdAt.toISOString() },
  });
}

async function noteBar(
  remembering: Remembering,
  asset: string,
  bar: ForwardBar,
  request: ForwardRequest | null,
): Promise<void> {
  const { deps, on, barredBy } = remembering;
  if (barredBy.get(asset) !== bar) {
    barredBy.set(asset, bar);
    deps.logger.info('forward.waits', { chain: on.chain, asset, code: bar, reason: FORWARD_BARS[bar] });
  }
  if (request !== null && deps.clock.now().getTime() - request.at.getTime() >= REQUEST_MS)
    await dropRequest(remembering, request, FORWARD_BARS[bar]);
}

async function dropRequest(
  { deps }: Remembering,
  { chain, asset }: ForwardRequest,
  reason: string,
): Promise<void> {
  await deps.unitOfWork.run(({ forwardRequests }) => forwardRequests.remove(asset));
  deps.logger.warn('forward.request_dropped', { chain, asset, reason });
}
