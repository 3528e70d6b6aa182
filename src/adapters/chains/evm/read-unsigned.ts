/**
 * Reads an unsigned EVM transaction (EIP-2718: legacy with EIP-155, EIP-2930, EIP-1559) for the signer. Only the one
 * encoding that a transaction has is read, so what is checked is what is signed. ethers is loaded at the first call.
 */
import type { SigningKey } from 'ethers';

export interface UnsignedEvmTransaction {
  readonly chainId: bigint;
  readonly nonce: bigint;
  /** Lower case; null for the creation of a contract. */
  readonly to: string | null;
  readonly valueWei: bigint;
  /** Lower-case hex. */
  readonly data: string;
  readonly hasAccessList: boolean;
  /** Gas limit times the highest price of gas: what the chain itself can take, without the data fee of an L2. */
  readonly maxFeeWei: bigint;
  /** The signed bytes and their hash. */
  signedWith(key: SigningKey): { readonly raw: string; readonly txid: string };
}

/** Null for anything else: signed already, blobs, set code (EIP-7702), trailing bytes, no hex. */
export async function readUnsigned(payload: string): Promise<UnsignedEvmTransaction | null> {
  if (!/^0x(?:[0-9a-f]{2})+$/.test(payload)) return null;
  const { Transaction } = await import('ethers');
  let read: InstanceType<typeof Transaction>;
  try {
    read = Transaction.from(payload);
    // Writing it checks more than reading did: that no tip is above the highest price, for example.
    if (read.unsignedSerialized !== payload) return null;
  } catch {
    return null;
  }
  const { type, signature, maxFeePerGas, gasPrice } = read;
  if (signature !== null || type === null || type > 2) return null;
  const pricePerGas = type === 2 ? maxFeePerGas : gasPrice;
  if (pricePerGas === null) return null;
  return {
    chainId: read.chainId,
    nonce: BigInt(read.nonce),
    to: read.to?.toLowerCase() ?? null,
    valueWei: read.value,
    data: read.data.toLowerCase(),
    hasAccessList: (read.accessList ?? []).length > 0,
    maxFeeWei: read.gasLimit * pricePerGas,
    signedWith(key) {
      const signed = read.clone();
      signed.signature = key.sign(read.unsignedHash);
      const txid = signed.hash;
      if (txid === null) throw new Error('a signed transaction has no hash');
      return { raw: signed.serialized, txid };
    },
  };
}
