/**
 * A sender of UTXOs in front of sources that answer what a test says: for arithmetic, and for
 * sources that disagree.
 */
import { nodeBudget } from '../../../src/adapters/chains/shared/nodes/node-budget.ts';
import { nodePool } from '../../../src/adapters/chains/shared/nodes/node-pool.ts';
import type { UtxoBackend } from '../../../src/adapters/chains/utxo/backend.ts';
import { utxoDeriver } from '../../../src/adapters/chains/utxo/deriver.ts';
import { utxoNetwork } from '../../../src/adapters/chains/utxo/network.ts';
import type { UtxoSending } from '../../../src/adapters/chains/utxo/send/sending.ts';
import { publicKeysOf } from '../../../src/adapters/signer/keystore.ts';
import type { UtxoFamily } from '../../../src/domain/catalog/family.ts';
import type { SendingOrder } from '../../../src/ports/sending/chain-sender.ts';
import type { Utxo } from '../../../src/ports/sending/utxo-spending.ts';
import { silentLogger } from '../runtime/silent-logger.ts';
import { PHRASE } from './utxo-orders.ts';

const KEYS = publicKeysOf(PHRASE);

export async function stubSending(
  family: UtxoFamily,
  backends: readonly Partial<UtxoBackend>[],
  changes: Partial<UtxoSending> = {},
): Promise<UtxoSending> {
  const network = utxoNetwork(family, 'main');
  const deriver = utxoDeriver({ network, accountXpub: (await KEYS)[family].xpub });
  const nodes = backends.map((backend, position) => {
    const label = `node ${position + 1}`;
    const node = { label, ...backend } as UtxoBackend;
    return { node, budget: nodeBudget({ label, perSecond: null, perDay: null }) };
  });
  const pool = nodePool({
    ...{ chain: family, nodes, serves: async () => true },
    ...{ identity: family, genesis: async () => null, boundTo: undefined, logger: silentLogger },
  });
  return {
    chain: family,
    network,
    pool,
    fees: { floor: 1_000n, ceiling: null },
    confirmations: 2,
    replaceable: network.replaceable,
    changeAddress: (index) => deriver.changeAddress(index),
    ...changes,
  };
}

/** A source of one fee rate, in base units per 1,000 virtual bytes. */
export function ofRate(rate: bigint | null, minimum = 1_000n): Partial<UtxoBackend> {
  return { feeRate: async () => rate, minimumFeeRate: async () => minimum };
}

/** Coins with these units, at deposit addresses that nobody looks at. */
export function coinsOf(...units: readonly bigint[]): readonly Utxo[] {
  return units.map((each, index) => ({
    txid: (index + 1).toString(16).padStart(64, '0'),
    vout: index,
    address: 'not looked at',
    key: { role: 'deposit', index },
    units: each,
  }));
}

/** Pays `units` each to the change address of a far sequence, as if it were a stranger's. */
export function orderOf(
  sending: UtxoSending,
  inputs: readonly Utxo[],
  ...units: readonly bigint[]
): SendingOrder {
  return {
    wallet: sending.changeAddress(1_000_000),
    nonce: 0n,
    asset: sending.chain,
    payments: units.map((each, index) => ({ to: sending.changeAddress(2_000_000 + index), units: each })),
    inputs,
    voids: false,
    feePayer: null,
  };
}
