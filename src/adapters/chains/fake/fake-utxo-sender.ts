/**
 * The ChainSender port over a fake UTXO chain: the sender of real ones (utxo/send/sender-over.ts),
 * and a node in memory that relays, replaces and refuses as theirs do.
 */
import { type Outpoint, outpointText } from '../../../domain/chains/outpoint.ts';
import { ChainUnavailable, type TransactionStatus } from '../../../ports/chains/chain-scanner.ts';
import type { ChangeAddresses } from '../../../ports/chains/change-addresses.ts';
import type { BroadcastOutcome, ChainSender } from '../../../ports/sending/chain-sender.ts';
import { NodeLagging } from '../shared/nodes/node-errors.ts';
import type { NodePool } from '../shared/nodes/node-pool.ts';
import type { SpendingBackend } from '../utxo/backend.ts';
import { addressOf, scriptOf } from '../utxo/codec/address.ts';
import { dustLimit, feeAt } from '../utxo/codec/sizes.ts';
import { storedTransaction } from '../utxo/codec/stored.ts';
import { NOT_REPLACEABLE, REPLACEABLE, writeUnsigned } from '../utxo/codec/unsigned.ts';
import type { UtxoNetwork } from '../utxo/network.ts';
import { RELAY_RATE } from '../utxo/send/fee-market.ts';
import { senderOver } from '../utxo/send/sender-over.ts';
import type { ChainState, FakeBlock, FakeTransaction } from './chain-state.ts';
import type { BroadcastFault } from './fake-sender.ts';
import { paysOwed } from './fake-unknown.ts';
import { signedByKeysOf } from './fake-utxo-signing.ts';
import { type FakeUtxos, outputOf } from './fake-utxos.ts';

interface FakeUtxoOptions {
  readonly chain: string;
  readonly network: UtxoNetwork;
  readonly confirmations: number;
  readonly state: ChainState;
  readonly utxos: FakeUtxos;
  readonly change: ChangeAddresses;
  readonly failing: () => boolean;
  /** Newest blocks that the sender's node lacks. */
  readonly missing: () => number;
  readonly broadcastFault: () => BroadcastFault | null;
}

type BroadcastRefusal = Exclude<BroadcastOutcome, { kind: 'accepted' }>;

export interface FakeUtxoSender {
  readonly sender: ChainSender;
  /**
   * Signed bytes as a transaction for a block, or the refusal of a node that does not relay it.
   * Throws MalformedBytes for what is no transaction.
   */
  read(raw: string): Promise<FakeTransaction | BroadcastRefusal>;
}

export function fakeUtxoSender(options: FakeUtxoOptions): FakeUtxoSender {
  const { chain, network, confirmations, utxos, change, failing } = options;
  const read = (raw: string) => readSigned(options, raw);
  const node = fakeNode(options, read);
  const use: NodePool<SpendingBackend>['use'] = async (ask) => {
    if (failing()) throw new ChainUnavailable(`${chain}: the fake node was told to fail`);
    try {
      return await ask(node);
    } catch (error) {
      if (error instanceof NodeLagging)
        throw new ChainUnavailable(`${chain}: the fake node ${error.message}`);
      throw error;
    }
  };
  const pool: NodePool<SpendingBackend> = {
    size: 1,
    use,
    every: async (ask) => {
      try {
        return [await use(ask)];
      } catch (error) {
        if (error instanceof ChainUnavailable) return [];
        throw error;
      }
    },
    doubt: () => {},
  };
  const sender = senderOver(
    {
      chain,
      network,
      pool,
      fees: { floor: RELAY_RATE, ceiling: null },
      confirmations,
      replaceable: network.replaceable,
      changeAddress: (index) => change.changeAddress(index),
    },
    { nativeAsset: utxos.nativeAsset, close: () => undefined },
  );
  return { sender, read };
}

function fakeNode(options: FakeUtxoOptions, read: FakeUtxoSender['read']): SpendingBackend {
  const { chain, state, utxos, broadcastFault } = options;
  return {
    tip: async () => state.blocks[tipHeight(options)]!,
    hashesAt: async (heights) =>
      heights.map((height) => (height <= tipHeight(options) ? (state.blocks[height]?.hash ?? null) : null)),
    place: async (txid) => placeOf(options, txid),
    unspent: async (outpoint) => {
      const utxo = utxos.unspent(outpoint, tipHeight(options));
      return utxo && { height: utxo.height, units: utxo.output.units };
    },
    spentByWaiting: async (outpoint) => state.mempool.some((waiting) => spendsOneOf(waiting, [outpoint])),
    waitingPaying: async (owed) =>
      owed.map((payment) =>
        state.mempool.filter((each) => paysOwed(each, [payment])).map(({ txid }) => txid),
      ),
    spender: async (outpoints) => {
      for (const outpoint of outpoints) {
        const { transaction, block = null } = state.spentIn(outpoint) ?? {};
        if (transaction && has(options, block)) return { txid: transaction.txid, block };
      }
      return null;
    },
    feeRate: async () => utxos.feeRate(),
    minimumFeeRate: async () => RELAY_RATE,
    broadcast: async (raw) => {
      const fault = broadcastFault();
      if (fault === 'refuse') return refused('the fake node was told to refuse');
      if (fault === 'lose') return { kind: 'accepted' };
      const transaction = await read(raw);
      const outcome = 'kind' in transaction ? transaction : take(options, transaction);
      if (fault === 'time_out') throw new ChainUnavailable(`${chain}: the fake node was told not to answer`);
      return outcome;
    },
  };
}

const tipHeight = ({ state, missing }: FakeUtxoOptions): number => state.tip().height - missing();

const has = (options: FakeUtxoOptions, block: FakeBlock | null): block is FakeBlock =>
  block !== null && block.height <= tipHeight(options);

function placeOf(options: FakeUtxoOptions, txid: string): TransactionStatus {
  const found = options.state.find(txid);
  if (found === null) return { state: 'unknown' };
  const { block } = found;
  return has(options, block)
    ? { state: 'mined', height: block.height, blockHash: block.hash }
    : { state: 'pending' };
}

/** Waits for nothing, so that two transactions that spend the same UTXO never both get in. */
function take(options: FakeUtxoOptions, transaction: FakeTransaction): BroadcastOutcome {
  const { state } = options;
  const { txid, spends = [] } = transaction;
  if (state.find(txid) !== null) return { kind: 'accepted' };
  const rivals = state.mempool.filter((waiting) => spendsOneOf(waiting, spends));
  const refusal = unspendable(options, spends) ?? replacementRefusal(options, transaction, rivals);
  if (refusal !== null) return refusal;
  for (const rival of rivals) state.evict(rival.txid);
  state.submit(transaction);
  return { kind: 'accepted' };
}

/** Why a transaction cannot spend these outputs; null when it can. */
function unspendable(options: FakeUtxoOptions, spends: readonly Outpoint[]): BroadcastRefusal | null {
  const { state, utxos } = options;
  for (const outpoint of spends) {
    const spender = state.spentIn(outpoint);
    if (state.find(outpoint.txid) === null || has(options, spender?.block ?? null))
      return { kind: 'nonce_used' };
    const utxo = utxos.unspent(outpoint, tipHeight(options));
    if ((utxo?.spendableFrom ?? 0) > tipHeight(options) + 1)
      return refused('bad-txns-premature-spend-of-coinbase');
  }
  return null;
}

/** Why a transaction cannot replace its rivals; null when it can. */
function replacementRefusal(
  { network }: FakeUtxoOptions,
  { offer = { feeUnits: 0n, size: 0n } }: FakeTransaction,
  rivals: readonly FakeTransaction[],
): BroadcastRefusal | null {
  if (rivals.length === 0) return null;
  if (!network.replaceable) return refused('txn-mempool-conflict');
  const replaced = rivals.reduce((sum, rival) => sum + (rival.offer?.feeUnits ?? 0n), 0n);
  const least = replaced + feeAt(RELAY_RATE, offer.size);
  return offer.feeUnits < least ? refused('insufficient fee, rejecting replacement') : null;
}

async function readSigned(
  { network, state, utxos }: FakeUtxoOptions,
  raw: string,
): Promise<FakeTransaction | BroadcastRefusal> {
  const stored = storedTransaction(network, raw);
  const { txid, inputs, outputs } = stored;
  const spent = inputs.flatMap((input) => {
    const found = state.find(input.txid);
    return (found && outputOf(found.transaction, input.vout)) ?? [];
  });
  if (spent.length < inputs.length) return { kind: 'nonce_used' };
  if (new Set(inputs.map(outpointText)).size < inputs.length) return refused('bad-txns-inputs-duplicate');
  const owners = spent.map(({ to, units }) => ({ script: scriptOf(network, to)!, units }));
  const sequence = network.replaceable ? REPLACEABLE : NOT_REPLACEABLE;
  const payload = await writeUnsigned({ inputs, outputs, sequence });
  if ((await signedByKeysOf(network, payload, owners)).raw !== raw)
    return refused('mandatory-script-verify-flag-failed');
  const feeUnits = owners.reduce((sum, { units }) => sum + units, -stored.paidUnits);
  if (feeUnits < feeAt(RELAY_RATE, stored.virtualSize)) return refused('min relay fee not met');
  if (outputs.some(({ script, units }) => units < dustLimit(network, script))) return refused('dust');
  const receivers = outputs.map(({ script }) => addressOf(network, script));
  if (!receivers.every((receiver) => receiver !== null)) return refused('scriptpubkey');
  return {
    txid,
    transfers: receivers.map((to, vout) => ({
      txid,
      output: `vout:${vout}`,
      kind: 'payment',
      asset: utxos.nativeAsset,
      to,
      from: null,
      units: outputs[vout]!.units,
    })),
    spends: inputs,
    offer: { feeUnits, size: stored.virtualSize },
  };
}

function spendsOneOf({ spends = [] }: FakeTransaction, outpoints: readonly Outpoint[]): boolean {
  return spends.some(({ txid, vout }) =>
    outpoints.some((outpoint) => outpoint.txid === txid && outpoint.vout === vout),
  );
}

function refused(reason: string): BroadcastRefusal {
  return { kind: 'refused', reason };
}
