/**
 * Signatures of UTXOs on a fake chain: as long as real ones, and made of what they sign and of
 * whose UTXO it is. Whoever knows the format can sign; it guards against mistakes, not against
 * thieves.
 */
import { shake256 } from '@noble/hashes/sha3.js';
import { type SigningOrder, SigningRefused, type WalletKey } from '../../../ports/sending/signer.ts';
import { scriptOf } from '../utxo/codec/address.ts';
import { signedForm } from '../utxo/codec/signed-form.ts';
import type { UtxoNetwork } from '../utxo/network.ts';
import { checkOrder } from '../utxo/send/check-order.ts';

const SIGNATURE_BYTES = 72;
const KEY_BYTES = 33;

/** `payload` signed by the keys of `utxos`, which it spends in this order. */
export function signedByKeysOf(
  network: UtxoNetwork,
  payload: string,
  utxos: readonly { readonly script: Uint8Array; readonly units: bigint }[],
): Promise<{ raw: string; txid: string }> {
  const unlocking = utxos.map(({ script, units }, index) => {
    const owner = Buffer.from(script).toString('hex');
    return [
      bytesOf(`fake signature/${payload}/${index}/${owner}/${units}`, SIGNATURE_BYTES),
      bytesOf(`fake key/${owner}`, KEY_BYTES),
    ];
  });
  return signedForm(network, payload, unlocking);
}

/**
 * What a signer does with an order of UTXOs: it holds the payload against it, and signs with the
 * UTXOs' keys.
 */
export async function signUtxos(
  network: UtxoNetwork,
  order: SigningOrder,
  addressOf: (key: WalletKey) => Promise<string | null>,
): Promise<{ raw: string; txid: string }> {
  const scriptOfKey = async (key: WalletKey): Promise<Uint8Array> => {
    const script = scriptOf(network, (await addressOf(key)) ?? '');
    if (script === null) throw new SigningRefused(`no such key on ${network.family}`);
    return script;
  };
  await checkOrder({ network, order, terms: { contract: null }, scriptOfKey });
  const utxos: { script: Uint8Array; units: bigint }[] = [];
  for (const { key, units } of order.inputs) utxos.push({ script: await scriptOfKey(key), units });
  return signedByKeysOf(network, order.payload, utxos);
}

function bytesOf(text: string, length: number): Uint8Array {
  return shake256(Buffer.from(text), { dkLen: length });
}
