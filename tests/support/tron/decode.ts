/**
 * Transactions as the Tron test server takes them: read by tronweb's protobuf code, so that nobody
 * reads what he wrote himself.
 */
import { createHash } from 'node:crypto';
import type { HexAddress } from './machine.ts';
import { utils } from './tronweb.ts';

export interface ReceivedTransaction {
  readonly txid: string;
  readonly type: string;
  /** The contract's fields, as nodes print them. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly rawDataHex: string;
  /** As nodes print it. */
  readonly rawData: Readonly<Record<string, unknown>>;
  readonly refBlockBytes: string;
  readonly refBlockHash: string;
  readonly expirationMs: number;
  readonly feeLimit: bigint;
  readonly signature: string;
  /** Whose key made the signature. */
  readonly signer: HexAddress;
  /** Of the signed transaction, without its result. */
  readonly bytes: number;
}

interface Fields {
  getRawData_asU8?(): Uint8Array;
}

interface TransactionMessage {
  getRawData(): Fields & { serializeBinary(): Uint8Array; getContractList(): { getType(): number }[] };
  getSignatureList_asU8(): Uint8Array[];
  serializeBinary(): Uint8Array;
}

/** Names of the contract types that the server executes, by their number in the protocol. */
const TYPES: Readonly<Record<number, string>> = {
  1: 'TransferContract',
  2: 'TransferAssetContract',
  31: 'TriggerSmartContract',
  46: 'AccountPermissionUpdateContract',
  54: 'FreezeBalanceV2Contract',
  57: 'DelegateResourceContract',
  58: 'UnDelegateResourceContract',
};

/** The protobuf classes that tronweb leaves in the global object. */
const protocol = (): { Transaction: { deserializeBinary(bytes: Uint8Array): TransactionMessage } } =>
  (globalThis as unknown as { TronWebProto: never }).TronWebProto;

/** Throws for bytes that are no transaction of a type above. */
export function decodeTransaction(hex: string): ReceivedTransaction {
  const message = protocol().Transaction.deserializeBinary(Buffer.from(hex, 'hex'));
  const raw = message.getRawData();
  const rawDataHex = Buffer.from(raw.serializeBinary()).toString('hex');
  // What was signed are the bytes that came, so another encoding of the same message must not pass
  // for them.
  if (!hex.toLowerCase().includes(rawDataHex)) throw new Error('raw_data is not in its usual encoding');
  const type = TYPES[raw.getContractList()[0]?.getType() ?? -1];
  if (type === undefined) throw new Error('a contract type that is not modelled');
  const rawData = printed(utils.deserializeTx.deserializeTransaction(type, rawDataHex));
  const txid = createHash('sha256').update(Buffer.from(rawDataHex, 'hex')).digest('hex');
  const signature = Buffer.from(message.getSignatureList_asU8()[0] ?? []).toString('hex');
  const value = (rawData.contract as { parameter: { value: Record<string, unknown> } }[])[0]!.parameter.value;
  return {
    txid,
    type,
    value,
    rawDataHex,
    rawData,
    refBlockBytes: String(rawData.ref_block_bytes),
    refBlockHash: String(rawData.ref_block_hash),
    expirationMs: Number(rawData.expiration),
    feeLimit: BigInt(Number(rawData.fee_limit ?? 0)),
    signature,
    signer: utils.crypto.ecRecover(txid, signature).toLowerCase(),
    bytes: message.serializeBinary().length,
  };
}

/** As JSON of a node: lower case, and without what is zero, empty or false. */
function printed(value: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value), (_key, item: unknown) => {
    if (item === 0 || item === '' || item === false || (Array.isArray(item) && item.length === 0))
      return undefined;
    return typeof item === 'string' && /^[0-9A-F]+$/.test(item) ? item.toLowerCase() : item;
  });
}
