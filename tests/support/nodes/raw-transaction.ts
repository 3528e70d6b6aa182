/**
 * Unsigned transactions byte by byte: the nodes' own makers refuse, for example, two outputs to one
 * address.
 */

export interface Utxo {
  readonly txid: string;
  readonly vout: number;
  readonly units: bigint;
  /** Its scriptPubKey, hex. */
  readonly script: string;
}

export interface RawOutput {
  readonly script: Uint8Array;
  readonly units: bigint;
}

/** Any transaction of the mempool may be replaced by one that pays more. */
const SEQUENCE = 'fdffffff';

export function unsignedTransaction(
  inputs: readonly Pick<Utxo, 'txid' | 'vout'>[],
  outputs: readonly RawOutput[],
): string {
  return [
    '02000000',
    compactSize(inputs.length),
    ...inputs.map(({ txid, vout }) => `${reversed(txid)}${littleEndian(BigInt(vout), 4)}00${SEQUENCE}`),
    compactSize(outputs.length),
    ...outputs.map(
      ({ script, units }) =>
        littleEndian(units, 8) + compactSize(script.length) + Buffer.from(script).toString('hex'),
    ),
    '00000000',
  ].join('');
}

function compactSize(count: number): string {
  if (count < 0xfd) return littleEndian(BigInt(count), 1);
  return count <= 0xffff ? `fd${littleEndian(BigInt(count), 2)}` : `fe${littleEndian(BigInt(count), 4)}`;
}

function littleEndian(value: bigint, bytes: number): string {
  return reversed(value.toString(16).padStart(bytes * 2, '0'));
}

function reversed(hex: string): string {
  return Buffer.from(hex, 'hex').reverse().toString('hex');
}
