/**
 * What the parts of a TON sender share: the chain, its nodes, its assets as jettons, and our own
 * hot wallet.
 */
import { ChainUnavailable } from '../../../../ports/chains/chain-scanner.ts';
import type { Clock } from '../../../../ports/runtime/clock.ts';
import { normalizeTonAddress, rawAddress } from '../address.ts';
import type { TonNetwork } from '../network.ts';
import type { TonPool } from '../nodes.ts';
import type { ArrivalMemory } from '../read/arrivals.ts';
import type { Jetton, JettonBook } from '../read/jettons.ts';
import type { SearchMemory } from './sent-request.ts';

export interface TonSending {
  readonly chain: string;
  readonly network: TonNetwork;
  readonly pool: TonPool;
  readonly nativeAsset: string;
  /** Asset keys of the listed jettons, also of those that failed their check. */
  readonly listed: ReadonlySet<string>;
  readonly jettons: JettonBook;
  /** Raw. */
  readonly hotWallet: string;
  readonly clock: Clock;
  /** Masterchain blocks that make one final, its own included. */
  readonly confirmations: number;
  /** Caches that only save calls: without them, everything is read again. */
  readonly memory: ArrivalMemory;
  readonly searches: SearchMemory;
  /** Most nanotons that a payment may cost; null: only the limit of costs.ts. */
  readonly ceiling: bigint | null;
}

/** The jetton cannot be used. Nodes work, but asking again will not help. */
export class JettonUnfit extends ChainUnavailable {}

/**
 * The asset's jetton, checked against the chain; null for the chain's native coin. Throws for an
 * asset of another chain: a fault of the caller.
 */
export async function jettonOf(sending: TonSending, asset: string): Promise<Jetton | null> {
  if (asset === sending.nativeAsset) return null;
  if (!sending.listed.has(asset)) throw new Error(`${asset} is no asset of ${sending.chain}`);
  const jetton = (await sending.jettons.usable()).get(asset);
  if (jetton !== undefined) return jetton;
  const fault = sending.jettons.faults().find((entry) => entry.asset === asset);
  throw new JettonUnfit(`${asset} cannot be used: ${fault?.reason ?? 'its contract does not fit'}`);
}

/** Raw address of the jetton wallet of an owner (raw). */
export function jettonWallet(jetton: Jetton, owner: string): string {
  const hash = Buffer.from(owner.slice(owner.indexOf(':') + 1), 'hex');
  return rawAddress({ workchain: 0, hash: jetton.walletOf(hash) });
}

/** Raw address of our own wallet. It comes from our own storage, so any other text throws. */
export function ownWallet({ network }: TonSending, wallet: string): string {
  const address = normalizeTonAddress(network, wallet);
  if (address === null) throw new Error(`${wallet} is not a TON address`);
  return address;
}
