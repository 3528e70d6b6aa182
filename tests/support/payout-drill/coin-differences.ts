/**
 * Holds what a gateway stored of its coins against the chain, in the node's own words: every
 * transaction of a batch spends the coins that the batch claimed, the one that settled it is on the
 * chain as it was stored, and no coin went elsewhere.
 */
import type { Database } from '../../../src/adapters/postgres/client/client.ts';
import type { RegtestNode } from '../nodes/regtest.ts';
import { blockDetails, unitsOfValue } from '../utxo/utxo-block-details.ts';

export interface ChainRead {
  /** Base units by scriptPubKey, hex. */
  readonly paid: ReadonlyMap<string, bigint>;
  /** Which transaction spent an output, by `txid:vout`. */
  readonly spenders: ReadonlyMap<string, string>;
}

/** The blocks above `from`. */
export async function readChain(node: RegtestNode, from: number): Promise<ChainRead> {
  const paid = new Map<string, bigint>();
  const spenders = new Map<string, string>();
  const tip = await node.height();
  for (let at = from + 1; at <= tip; at += 1) {
    const { tx } = await blockDetails(node, await node.rpc<string>('getblockhash', at));
    for (const { txid, vin, vout } of tx) {
      for (const input of vin) if (input.txid !== undefined) spenders.set(outpoint(input), txid);
      for (const { value, scriptPubKey } of vout)
        if (scriptPubKey !== undefined)
          paid.set(scriptPubKey.hex, (paid.get(scriptPubKey.hex) ?? 0n) + unitsOfValue(value ?? 0));
    }
  }
  return { paid, spenders };
}

interface Outpoint {
  readonly txid?: string;
  readonly vout?: number | string;
}

const outpoint = ({ txid, vout }: Outpoint): string => `${txid}:${vout}`;

interface Stored {
  readonly coins: readonly { txid: string; vout: string; claimed_by: string | null }[];
  readonly signed: readonly { bundle_id: string; txid: string; raw: string }[];
  /** The transaction that settled each batch. */
  readonly settled: readonly { bundle_id: string; txid: string }[];
}

async function readStored(database: Database, chain: string): Promise<Stored> {
  return {
    coins: await database.query('select txid, vout, claimed_by from coins where chain = $1', [chain]),
    signed: await database.query('select bundle_id, txid, raw from signed_transactions'),
    settled: await database.query(
      "select distinct bundle_id, txid from outgoing_transfers where status = 'confirmed' and chain = $1",
      [chain],
    ),
  };
}

export async function coinDifferences(order: {
  node: RegtestNode;
  database: Database;
  chain: string;
  from: number;
}): Promise<readonly string[]> {
  const { node, database, chain, from } = order;
  const stored = await readStored(database, chain);
  const { spenders } = await readChain(node, from);
  return [
    ...(await wronglySigned(node, stored)),
    ...(await wronglySettled(node, stored)),
    ...wronglySpent(stored, spenders),
  ];
}

/** Whatever was signed for a batch spends all the coins that it claimed, and no other. */
async function wronglySigned(node: RegtestNode, { coins, signed }: Stored): Promise<string[]> {
  const claims = Map.groupBy(coins, ({ claimed_by }) => claimed_by);
  const faults: string[] = [];
  const matchEarlierChoice = new Map<string, string>();
  for (const { bundle_id: batch, txid, raw } of signed) {
    const { vin } = await node.rpc<{ vin: Outpoint[] }>('decoderawtransaction', raw);
    const spends = vin.map(outpoint).toSorted();
    const claimed = (claims.get(batch) ?? []).map(outpoint).toSorted();
    if (spends.join() !== claimed.join()) faults.push(`${txid} does not spend what its batch claimed`);
    for (const coin of spends) {
      if ((matchEarlierChoice.get(coin) ?? batch) !== batch)
        faults.push(`${coin} was signed for in two batches`);
      matchEarlierChoice.set(coin, batch);
    }
  }
  return faults;
}

async function wronglySettled(node: RegtestNode, { signed, settled }: Stored): Promise<string[]> {
  const faults: string[] = [];
  for (const { bundle_id: batch, txid } of settled) {
    const own = signed.find((one) => one.txid === txid && one.bundle_id === batch);
    const there = await node.rpc<string>('getrawtransaction', txid).catch(() => null);
    if (own === undefined || own.raw !== there) faults.push(`${txid} is not on the chain as it was stored`);
  }
  return faults;
}

function wronglySpent({ coins, settled }: Stored, spenders: ChainRead['spenders']): string[] {
  const settledBy = new Map(settled.map(({ bundle_id, txid }) => [bundle_id, txid]));
  return coins.flatMap((coin) => {
    const spender = spenders.get(outpoint(coin)) ?? 'nobody';
    const right = settledBy.get(coin.claimed_by ?? '') ?? 'nobody';
    return spender === right ? [] : [`${outpoint(coin)} was spent by ${spender}, by the books by ${right}`];
  });
}
