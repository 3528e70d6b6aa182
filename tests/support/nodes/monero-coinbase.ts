/**
 * Blocks whose reward pays an address by a secret of the test's choice: wallets make neither locked
 * payments nor two outputs with one one-time key, and miners can.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE } from '@noble/curves/utils.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58xmr } from '@scure/base';

const { Point } = ed25519;

export interface RewardPayment {
  /** A subaddress. */
  readonly to: string;
  /** Transaction secret r: the same one gives the same one-time key. */
  readonly secret: bigint;
  /**
   * Writes the transaction's public key twice into its extra field, which needs 33 reserved bytes
   * in the template.
   */
  readonly keyTwice?: boolean;
}

/** Bytes of the extra field that `keyTwice` needs. */
export const KEY_TWICE_RESERVE = 33;

/** The block template `blob` (hex) with its reward paid to another. */
export function payReward(blob: string, payment: RewardPayment): string {
  const bytes = Buffer.from(blob, 'hex');
  const place = rewardPlaces(bytes);
  const { transactionKey, oneTimeKey, viewTag } = outputFor(payment);
  bytes.set(oneTimeKey, place.outputKey);
  bytes[place.viewTag] = viewTag;
  bytes.set(transactionKey, place.transactionKey);
  // The reserved bytes follow as 02 <length> <33 bytes>: a second key, and padding.
  if (payment.keyTwice === true)
    bytes.set([1, ...transactionKey, 0, 0], place.transactionKey + transactionKey.length);
  return bytes.toString('hex');
}

/** One-time key of output 0 to a subaddress (C, D): R = rD, P = Hs(8rC || 0) G + D. */
function outputFor({ to, secret }: RewardPayment) {
  const payload = base58xmr.decode(to);
  const [spend, view] = [Point.fromBytes(payload.slice(1, 33)), Point.fromBytes(payload.slice(33, 65))];
  const derivation = view.multiply(secret).clearCofactor().toBytes();
  const scalar = bytesToNumberLE(keccak_256(Uint8Array.from([...derivation, 0]))) % Point.Fn.ORDER;
  return {
    transactionKey: spend.multiply(secret).toBytes(),
    oneTimeKey: Point.BASE.multiply(scalar).add(spend).toBytes(),
    viewTag: keccak_256(Uint8Array.from([...Buffer.from('view_tag'), ...derivation, 0]))[0]!,
  };
}

/**
 * Where the parts of the first output stand: header, then the reward's transaction with one output
 * and its key first in extra.
 */
function rewardPlaces(bytes: Uint8Array): { outputKey: number; viewTag: number; transactionKey: number } {
  let at = 0;
  const varint = (): void => {
    while (bytes[at]! >= 0x80) at += 1;
    at += 1;
  };
  const expect = (value: number, what: string): void => {
    if (bytes[at] !== value) throw new Error(`a block template without ${what}`);
    at += 1;
  };
  for (let field = 0; field < 3; field++) varint(); // versions and time
  at += 32 + 4; // parent and nonce
  for (let field = 0; field < 2; field++) varint(); // version and unlock time
  expect(1, 'one input');
  expect(0xff, 'a reward');
  varint(); // height
  expect(1, 'one output');
  varint(); // amount
  expect(3, 'a tagged key');
  const outputKey = at;
  at += 33;
  varint(); // length of extra
  expect(1, 'a transaction key');
  return { outputKey, viewTag: outputKey + 32, transactionKey: at };
}
