/**
 * Adds signatures to a transaction: in the witness where the chain has segwit, else in the scripts
 * of the inputs.
 */

import type { UtxoNetwork } from '../network.ts';
import { doubleSha256, hashText } from './hashes.ts';

/**
 * `payload` as unsigned.ts writes it; `unlocking`: for each input its signature and public key.
 * Returns hex.
 */
export async function signedForm(
  network: UtxoNetwork,
  payload: string,
  unlocking: readonly (readonly Uint8Array[])[],
): Promise<{ raw: string; txid: string }> {
  const { RawTx } = await import('@scure/btc-signer');
  const segwit = network.bech32 !== null;
  const unsigned = Buffer.from(payload, 'hex');
  const fields = RawTx.decode(unsigned);
  const signed = segwit
    ? RawTx.encode({ ...fields, segwitFlag: true, witnesses: unlocking.map((items) => [...items]) })
    : RawTx.encode({
        ...fields,
        inputs: fields.inputs.map((input, index) => unlocked(input, unlocking[index]!)),
      });
  // The txid leaves out witnesses (BIP-141).
  const txid = hashText(doubleSha256(segwit ? unsigned : signed));
  return { raw: Buffer.from(signed).toString('hex'), txid };
}

/** With a script that pushes `items`, each below 76 bytes. */
function unlocked<Input>(input: Input, items: readonly Uint8Array[]): Input & { finalScriptSig: Uint8Array } {
  return { ...input, finalScriptSig: Uint8Array.from(items.flatMap((item) => [item.length, ...item])) };
}
