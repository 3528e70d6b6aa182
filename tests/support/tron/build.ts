/**
 * Transactions of any kind written and signed by tronweb, without a node: what customers send, and
 * a second opinion on our own.
 */
import { utils } from './tronweb.ts';

export interface Draft {
  /** For example `TransferContract`, with that contract's fields; addresses in hex. */
  readonly type: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly feeLimit?: number;
  readonly refBlockBytes: string;
  readonly refBlockHash: string;
  readonly expirationMs: number;
  readonly timestampMs: number;
}

export interface Built {
  readonly rawDataHex: string;
  readonly txid: string;
  /** The signature in hex, and the signed transaction. */
  sign(privateKey: string): { readonly signature: string; readonly hex: string };
}

interface TransactionMessage {
  addSignature(signature: Uint8Array): void;
  serializeBinary(): Uint8Array;
}

export function buildTransaction(draft: Draft): Built {
  const { type, value, feeLimit, refBlockBytes, refBlockHash, expirationMs, timestampMs } = draft;
  const json = {
    visible: false,
    txID: '',
    raw_data_hex: '',
    raw_data: {
      contract: [{ type, parameter: { value, type_url: `type.googleapis.com/protocol.${type}` } }],
      ref_block_bytes: refBlockBytes,
      ref_block_hash: refBlockHash,
      expiration: expirationMs,
      timestamp: timestampMs,
      ...(feeLimit === undefined ? {} : { fee_limit: feeLimit }),
    },
  };
  const message: unknown = utils.transaction.txJsonToPb(json as never);
  const txid = utils.transaction.txPbToTxID(message).replace(/^0x/, '').toLowerCase();
  return {
    rawDataHex: utils.transaction.txPbToRawDataHex(message).toLowerCase(),
    txid,
    sign(privateKey) {
      const bytes = (hex: string) => utils.code.hexStr2byteArray(hex);
      const signature = utils.crypto
        .ECKeySign(bytes(txid), bytes(privateKey))
        .replace(/^0x/, '')
        .toLowerCase();
      const signed = utils.transaction.txJsonToPb(json as never) as TransactionMessage;
      signed.addSignature(Buffer.from(signature, 'hex'));
      return { signature, hex: Buffer.from(signed.serializeBinary()).toString('hex') };
    },
  };
}
