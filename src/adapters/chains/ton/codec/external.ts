/** External messages to V5R1 wallets: signed bytes, and how they are read back from storage. */
import { Address, beginCell, Cell, external, loadMessage, storeMessage } from '@ton/core';
import { v5r1Code } from './wallet-code.ts';
import { readSignedPart, signedPart, type WalletRequest } from './wallet-request.ts';

export interface SigningWallet {
  /** Raw. */
  readonly address: string;
  readonly walletId: number;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
}

/**
 * The signed bytes (hex), and the hash of the message. A wallet's first transaction deploys its
 * contract.
 */
export function signedExternal(
  request: WalletRequest,
  wallet: SigningWallet,
  sign: (hash: Uint8Array) => Uint8Array,
): { raw: string; txid: string } {
  const part = signedPart(request, wallet.walletId);
  const body = beginCell()
    .storeSlice(part.beginParse())
    .storeBuffer(Buffer.from(sign(part.hash())))
    .endCell();
  const cell = enveloped(body, request.seqno, wallet);
  return { raw: cell.toBoc().toString('hex'), txid: cell.hash().toString('hex') };
}

/**
 * The message in which this gateway sends a signed body, even if it reached the chain in another
 * envelope.
 */
export function enveloped(body: Cell, seqno: bigint, wallet: SigningWallet): Cell {
  const init = seqno === 0n ? { code: v5r1Code(), data: firstData(wallet) } : undefined;
  const message = external({ to: Address.parseRaw(wallet.address), body, ...(init ? { init } : {}) });
  return beginCell().store(storeMessage(message)).endCell();
}

function firstData({ walletId, publicKey }: SigningWallet): Cell {
  return beginCell()
    .storeBit(1)
    .storeUint(0, 32)
    .storeInt(walletId, 32)
    .storeBuffer(Buffer.from(publicKey))
    .storeBit(0)
    .endCell();
}

export interface StoredExternal {
  readonly txid: string;
  /** Raw address of the wallet. */
  readonly wallet: string;
  /**
   * Hash of the signed part with its signature. The envelope is not signed: somebody may send the
   * same request in another one, and it is the same transaction.
   */
  readonly bodyHash: string;
  readonly request: WalletRequest;
}

/**
 * Signed bytes of our own storage. Throws when they are no request of ours, which means that the
 * storage is damaged.
 */
export function storedExternal(raw: string): StoredExternal {
  try {
    const cell = Cell.fromHex(raw);
    const { info, body } = loadMessage(cell.beginParse());
    if (info.type !== 'external-in') throw new Error('no external message');
    return {
      txid: cell.hash().toString('hex'),
      wallet: info.dest.toRawString(),
      bodyHash: body.hash().toString('hex'),
      request: readSignedPart(body).request,
    };
  } catch {
    throw new Error('the stored bytes are no transaction that this gateway signs');
  }
}
