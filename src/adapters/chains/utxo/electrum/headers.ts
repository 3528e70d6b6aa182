/**
 * The headers of an Electrum server, newest first: the tip is said by the server itself, those
 * below are fetched when they are asked for. All have their work, and those of the last two weeks
 * are linked to the tip, so that one lie would have to be a chain.
 */
import { NodeError, NodeLagging } from '../../shared/nodes/node-errors.ts';
import { decoded } from '../backend.ts';
import { type ProvenHeader, provenHeader } from '../codec/header-proof.ts';
import type { UtxoNetwork } from '../network.ts';
import { type ElectrumClient, type TipHeader, tipIn } from './client.ts';

export interface ElectrumHeaders {
  tip(): Promise<ProvenHeader>;
  /** Null where the chain is shorter. */
  at(height: number): Promise<ProvenHeader | null>;
  /** The server said that there is another tip. */
  notified(params: readonly unknown[], connection: number): void;
}

/** Fetched at once at most, by the protocol. */
const LINKED = 2_016;
const KEPT = 2 * LINKED;

export function electrumHeaders(network: UtxoNetwork, client: ElectrumClient): ElectrumHeaders {
  const { label } = client;
  /** Without gaps, up to the tip. */
  const linked = new Map<number, ProvenHeader>();
  let tip: ProvenHeader | null = null;
  let lowest = 0;
  /** The connection that says when there is another tip, and one that was asked to. */
  let subscribedOn = 0;
  let askedOn = 0;
  /** Said before the answer to the question was looked at. */
  let saidEarly: TipHeader | null = null;

  const proven = (bytes: Uint8Array, height: number): ProvenHeader =>
    decoded(label, () => provenHeader(network, bytes, height));

  /** Another tip than the next one may be of another branch: what is below it is fetched anew. */
  function accept({ height, header }: TipHeader): void {
    const next = proven(header, height);
    if (next.hash === tip?.hash) return;
    if (tip === null || height !== tip.height + 1 || next.parentHash !== tip.hash) {
      linked.clear();
      lowest = height;
    }
    linked.set(height, next);
    tip = next;
    for (; linked.size > KEPT; lowest += 1) linked.delete(lowest);
  }

  async function current(): Promise<ProvenHeader> {
    const connection = await client.connection.alive();
    if (subscribedOn !== connection) {
      askedOn = connection;
      saidEarly = null;
      const answer = await client.subscribeTip();
      accept(saidEarly ?? answer);
      subscribedOn = connection;
    }
    if (tip === null) throw new NodeError(`${label}: shows no tip`);
    return tip;
  }

  /** From `height` up to what is linked already. */
  async function link(height: number): Promise<void> {
    const [top, from] = [linked.get(lowest), lowest];
    const fetched = await client.headers(height, from - height);
    let above = top;
    const below: ProvenHeader[] = [];
    for (const [at, bytes] of [...fetched.entries()].reverse()) {
      const header = proven(bytes, height + at);
      if (header.hash !== above?.parentHash) {
        // Either the chain was reorganised meanwhile, and another tip comes, or it is a lie: the
        // tip is asked for again.
        subscribedOn = 0;
        throw new NodeLagging('was reorganised while headers were read, or they do not fit together');
      }
      below.push(header);
      above = header;
    }
    if (linked.get(from) !== top) throw new NodeLagging('was reorganised while headers were read');
    for (const header of below) linked.set(header.height, header);
    lowest = Math.min(lowest, height);
  }

  return {
    tip: current,
    async at(height) {
      const { height: highest } = await current();
      if (height > highest) return null;
      if (height < highest - LINKED) {
        const bytes = await client.header(height);
        return bytes === null ? null : proven(bytes, height);
      }
      if (height < lowest) await link(height);
      return linked.get(height) ?? null;
    },
    notified([said], connection) {
      if (connection !== askedOn) return;
      try {
        const next = tipIn(said);
        if (connection === subscribedOn) accept(next);
        else saidEarly = next;
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        // Asked for when it is needed, where the fault is told.
        subscribedOn = 0;
      }
    },
  };
}
