/**
 * Transactions on the wire, decoded by @solana/kit (the product uses another library), and base58.
 */
import {
  getAddressDecoder,
  getAddressEncoder,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
} from '@solana/kit';

export const base58 = (bytes: Uint8Array): string => getBase58Decoder().decode(bytes);
export const addressOf = (bytes: Uint8Array): string => getAddressDecoder().decode(bytes);
export const bytesOfAddress = (address: string): Uint8Array =>
  new Uint8Array(
    getAddressEncoder().encode(address as Parameters<ReturnType<typeof getAddressEncoder>['encode']>[0]),
  );

export interface JsonMessage extends Readonly<Record<string, unknown>> {
  readonly accountKeys: readonly string[];
  readonly header: Readonly<
    Record<'numRequiredSignatures' | 'numReadonlySignedAccounts' | 'numReadonlyUnsignedAccounts', number>
  >;
}

export interface DecodedTransaction {
  readonly wire: Uint8Array;
  readonly version: 'legacy' | 0 | 1;
  /** Of the fee payer: the transaction's id. */
  readonly signature: string;
  readonly signatures: readonly string[];
  readonly blockhash: string;
  readonly accounts: readonly string[];
  /** The message as nodes show it in encoding `json`. */
  readonly message: JsonMessage;
}

/** Throws for bytes that are no transaction, and for lookup tables, which are not modelled. */
export function decodeTransaction(wire: Uint8Array): DecodedTransaction {
  const { messageBytes, signatures } = getTransactionDecoder().decode(wire);
  const message = decodeMessage(new Uint8Array(messageBytes));
  const texts = Object.values(signatures).map((signature) => base58(signature ?? new Uint8Array(64)));
  return { wire, ...message, signature: texts[0]!, signatures: texts };
}

function decodeMessage(bytes: Uint8Array): Omit<DecodedTransaction, 'wire' | 'signature' | 'signatures'> {
  const message = getCompiledTransactionMessageDecoder().decode(bytes);
  if ('addressTableLookups' in message && (message.addressTableLookups ?? []).length > 0)
    throw new Error('this test server has no lookup tables');
  const { header, staticAccounts, lifetimeToken: blockhash, version } = message;
  const instructions =
    message.version === 1
      ? message.instructionHeaders.map(({ programAccountIndex }, position) => ({
          programIdIndex: programAccountIndex,
          accounts: message.instructionPayloads[position]?.instructionAccountIndices ?? [],
          data: base58(new Uint8Array(message.instructionPayloads[position]?.instructionData ?? [])),
          stackHeight: 1,
        }))
      : message.instructions.map(({ programAddressIndex, accountIndices, data }) => ({
          programIdIndex: programAddressIndex,
          accounts: accountIndices ?? [],
          data: base58(new Uint8Array(data ?? [])),
          stackHeight: 1,
        }));
  return {
    version,
    blockhash,
    accounts: staticAccounts,
    message: {
      header: {
        numRequiredSignatures: header.numSignerAccounts,
        numReadonlySignedAccounts: header.numReadonlySignerAccounts,
        numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
      },
      accountKeys: staticAccounts,
      recentBlockhash: blockhash,
      instructions,
      ...(version === 0 ? { addressTableLookups: [] } : {}),
    },
  };
}

export const bytesOfBase64 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));
