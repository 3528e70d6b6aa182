/**
 * Random payments of UTXOs for tests of the UTXO signers: an order, and the unsigned transaction
 * that does what it says.
 */
import fc from 'fast-check';
import {
  addressOf,
  payToPublicKeyHash,
  payToWitness,
  scriptOf,
} from '../../../src/adapters/chains/utxo/codec/address.ts';
import { virtualSize } from '../../../src/adapters/chains/utxo/codec/sizes.ts';
import {
  NOT_REPLACEABLE,
  REPLACEABLE,
  type UnsignedOutput,
  writeUnsigned,
} from '../../../src/adapters/chains/utxo/codec/unsigned.ts';
import { type UtxoNetwork, utxoNetwork } from '../../../src/adapters/chains/utxo/network.ts';
import { saneFeeMax } from '../../../src/adapters/chains/utxo/send/sane-fee.ts';
import { utxoSigning } from '../../../src/adapters/chains/utxo/send/sign.ts';
import type { UtxoFamily } from '../../../src/domain/catalog/family.ts';
import type { FamilySigning } from '../../../src/ports/sending/family-signing.ts';
import type { SigningInput, SigningOrder, WalletKey } from '../../../src/ports/sending/signer.ts';

export const PHRASE = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
export const TERMS = { chainId: null, contract: null, decimals: 8 } as const;

export interface SigningCase {
  readonly network: UtxoNetwork;
  readonly signing: FamilySigning;
}

export function signingCase(family: UtxoFamily): SigningCase {
  const network = utxoNetwork(family, 'regtest');
  return { network, signing: utxoSigning({ network, mnemonic: async () => PHRASE }) };
}

/** What a random order is made of; `orderOf` adds what our keys make of it. */
export interface Draft {
  readonly sequence: bigint;
  readonly inputs: readonly SigningInput[];
  readonly recipients: readonly {
    readonly hash: Uint8Array;
    readonly kind: number;
    readonly units: bigint;
  }[];
  readonly hasChange: boolean;
  readonly replaceable: boolean;
}

const someBytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const someKey: fc.Arbitrary<WalletKey> = fc.oneof(
  fc.constant({ role: 'hot' } as const),
  fc.record({ role: fc.constantFrom('deposit', 'change'), index: fc.integer({ min: 1, max: 2 ** 31 - 1 }) }),
);
const someInput: fc.Arbitrary<SigningInput> = fc.record({
  txid: someBytes(32).map((bytes) => Buffer.from(bytes).toString('hex')),
  vout: fc.integer({ min: 0, max: 400 }),
  key: someKey,
  units: fc.bigInt({ min: 1n, max: 10_000n }),
});

export const aDraft: fc.Arbitrary<Draft> = fc.record({
  sequence: fc.bigInt({ min: 0n, max: 2n ** 31n - 3n }),
  inputs: fc.uniqueArray(someInput, { minLength: 1, maxLength: 3, selector: ({ txid }) => txid }),
  recipients: fc.array(
    fc.record({
      hash: someBytes(32),
      kind: fc.integer({ min: 0, max: 2 }),
      units: fc.bigInt({ min: 50_000n, max: 10n ** 12n }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  hasChange: fc.boolean(),
  replaceable: fc.boolean(),
});

/**
 * The order of a draft. Its last input is as large as it takes for a fee of some satoshi a byte.
 */
export async function orderOf({ network, signing }: SigningCase, draft: Draft): Promise<SigningOrder> {
  const payments = draft.recipients.map(({ hash, kind, units }, index) => ({
    transferId: `transfer-${index}`,
    referenceId: `payout-${index}`,
    to: addressOf(network, recipientScript(network, hash, kind))!,
    toKey: null,
    units,
  }));
  const change = await signing.addressOf({ role: 'change', index: Number(draft.sequence) + 1 });
  const outputs = [
    ...payments.map(({ to, units }) => ({ script: scriptOf(network, to)!, units })),
    ...(draft.hasChange ? [{ script: scriptOf(network, change)!, units: 54_321n }] : []),
  ];
  const paid = outputs.reduce((sum, { units }) => sum + units, 0n);
  const others = draft.inputs.slice(0, -1).reduce((sum, { units }) => sum + units, 0n);
  const size = virtualSize(
    network,
    draft.inputs.length,
    outputs.map(({ script }) => script),
  );
  const fee = saneFeeMax(size, 0n) / 500n;
  const last = { ...draft.inputs.at(-1)!, units: paid + fee - others };
  return withPayload(draft.replaceable ? REPLACEABLE : NOT_REPLACEABLE, outputs, {
    chain: network.family,
    key: { role: 'hot' },
    wallet: await signing.addressOf({ role: 'hot' }),
    nonce: draft.sequence,
    purpose: 'payout',
    asset: network.family,
    feePayer: null,
    validUntil: null,
    replaces: null,
    payments,
    inputs: [...draft.inputs.slice(0, -1), last],
    voids: false,
  });
}

export async function withPayload(
  sequence: typeof REPLACEABLE | typeof NOT_REPLACEABLE,
  outputs: readonly UnsignedOutput[],
  order: Omit<SigningOrder, 'payload'>,
): Promise<SigningOrder> {
  return { ...order, payload: await writeUnsigned({ inputs: order.inputs, outputs, sequence }) };
}

function recipientScript(network: UtxoNetwork, hash: Uint8Array, kind: number): Uint8Array {
  if (kind === 0 || network.bech32 === null) return payToPublicKeyHash(hash.subarray(0, 20));
  return kind === 1 ? payToWitness(0, hash.subarray(0, 20)) : payToWitness(1, hash);
}
