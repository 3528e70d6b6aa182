/**
 * The unsigned transaction that a sender writes and a signer reads: consensus bytes as hex, version
 * 2, lock time 0, no witness and empty scripts. The order holds the amounts and keys of what it
 * spends.
 */
import type { Outpoint } from '../../../../domain/chains/outpoint.ts';

export interface UnsignedUtxoTransaction {
  readonly inputs: readonly Outpoint[];
  readonly outputs: readonly UnsignedOutput[];
  readonly sequence: InputSequence;
}

export interface UnsignedOutput {
  readonly script: Uint8Array;
  readonly units: bigint;
}

/** BIP-125: nodes may replace the transaction by one that pays more. */
export const REPLACEABLE = 0xfffffffd;
export const NOT_REPLACEABLE = 0xfffffffe;
export type InputSequence = typeof REPLACEABLE | typeof NOT_REPLACEABLE;

const VERSION = 2;

/** Lower-case hex. */
export async function writeUnsigned({ inputs, outputs, sequence }: UnsignedUtxoTransaction): Promise<string> {
  const { RawTx } = await import('@scure/btc-signer');
  const bytes = RawTx.encode({
    version: VERSION,
    segwitFlag: false,
    inputs: inputs.map(({ txid, vout }) => ({
      txid: Buffer.from(txid, 'hex'),
      index: vout,
      finalScriptSig: new Uint8Array(),
      sequence,
    })),
    outputs: outputs.map(({ script, units }) => ({ script, amount: units })),
    witnesses: undefined,
    lockTime: 0,
  });
  return Buffer.from(bytes).toString('hex');
}
