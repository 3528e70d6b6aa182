/** Our signed transactions as they are stored: what they spend and pay, and their size. */
import type { Outpoint } from '../../../../domain/chains/outpoint.ts';
import type { UtxoNetwork } from '../network.ts';
import { signedSize } from './sizes.ts';
import { decodeTransaction, type TransactionOutput } from './transaction.ts';

export interface StoredTransaction {
  readonly txid: string;
  readonly inputs: readonly Outpoint[];
  readonly outputs: readonly TransactionOutput[];
  /** Sum of the outputs. */
  readonly paidUnits: bigint;
  readonly virtualSize: bigint;
}

/** Throws for bytes that are no transaction: they come from our own storage. */
export function storedTransaction(network: UtxoNetwork, raw: string): StoredTransaction {
  const bytes = Buffer.from(raw, 'hex');
  const transaction = decodeTransaction(network, bytes);
  const { outputs } = transaction;
  const inputs = transaction.inputs();
  return {
    txid: transaction.txid(),
    inputs,
    outputs,
    paidUnits: outputs.reduce((sum, { units }) => sum + units, 0n),
    virtualSize: signedSize(network, {
      bytes: bytes.length,
      inputs: inputs.length,
      scripts: outputs.map(({ script }) => script),
    }),
  };
}
