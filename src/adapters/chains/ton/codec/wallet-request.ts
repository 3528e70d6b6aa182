/**
 * A request to a V5R1 wallet as this gateway writes it: it sends TON, or jettons by TEP-74's
 * `transfer`, and nothing else. It is written without wallet id and signature. Signer and sender
 * read it again, bit for bit.
 */
import {
  Address,
  beginCell,
  Cell,
  internal,
  loadOutList,
  type MessageRelaxed,
  type OutActionSendMsg,
  storeOutList,
} from '@ton/core';
import { OP_TRANSFER } from './messages.ts';

/** One message that leaves the wallet. Addresses are raw. */
export interface WalletMessage {
  readonly to: string;
  readonly bounce: boolean;
  /** Nanotons that it carries. */
  readonly coins: bigint;
  /** For the wallet's own jetton wallet; null for a plain transfer of TON. */
  readonly jettons: JettonOrder | null;
}

export interface JettonOrder {
  readonly queryId: bigint;
  readonly units: bigint;
  readonly to: string;
  /** Who receives the rest of `coins`. */
  readonly response: string;
  /** Nanotons for the recipient, with a notification. */
  readonly forwardCoins: bigint;
}

export interface WalletRequest {
  /** Unix seconds: from then on the wallet refuses it. */
  readonly validUntil: bigint;
  readonly seqno: bigint;
  readonly messages: readonly WalletMessage[];
}

/**
 * The wallet refuses more messages in one request. Each pays its own fee, and one that fails does
 * not stop the others.
 */
export const MESSAGES_MAX = 255;
const PAY_FEES_APART = 1;
const IGNORE_ERRORS = 2;
const SEND_MODE = PAY_FEES_APART | IGNORE_ERRORS;

/** `sign`, in ASCII: marks a request in an external message. */
const OP_SIGNED_EXTERNAL = 0x7369676e;
const UINT32 = 2n ** 32n;

/** The request in hex, a bag of cells. */
export function writeRequest(request: WalletRequest): string {
  const { validUntil, seqno } = request;
  const cell = beginCell().storeUint(validUntil, 32).storeUint(seqno, 32).storeMaybeRef(actionsOf(request));
  return cell.endCell().toBoc().toString('hex');
}

/**
 * Reads a request; null for anything that `writeRequest` does not write: other modes, actions or
 * bodies, or bits left over.
 */
export function readRequest(payload: string): WalletRequest | null {
  try {
    const slice = Cell.fromHex(payload).beginParse();
    const [validUntil, seqno] = [slice.loadUintBig(32), slice.loadUintBig(32)];
    const actions = slice.loadMaybeRef();
    slice.endParse();
    const request = { validUntil, seqno, messages: actions === null ? [] : messagesIn(actions) };
    return writeRequest(request) === payload ? request : null;
  } catch {
    return null;
  }
}

/** The part that is signed: the request with the id of its wallet. */
export function signedPart(request: WalletRequest, walletId: number): Cell {
  const { validUntil, seqno } = request;
  if (validUntil >= UINT32 || seqno >= UINT32) throw new RangeError('a wallet counts in 32 bits');
  return beginCell()
    .storeUint(OP_SIGNED_EXTERNAL, 32)
    .storeInt(walletId, 32)
    .storeUint(validUntil, 32)
    .storeUint(seqno, 32)
    .storeMaybeRef(actionsOf(request))
    .storeBit(0)
    .endCell();
}

/**
 * The exact inverse of signedPart, from a slice with the signature after it; throws for any other.
 */
export function readSignedPart(body: Cell): { request: WalletRequest; signature: Buffer } {
  const slice = body.beginParse();
  if (slice.loadUint(32) !== OP_SIGNED_EXTERNAL) throw new Error('no request in an external message');
  slice.skip(32);
  const [validUntil, seqno] = [slice.loadUintBig(32), slice.loadUintBig(32)];
  const actions = slice.loadMaybeRef();
  if (slice.loadBit()) throw new Error('a request for more than messages');
  const signature = slice.loadBuffer(64);
  slice.endParse();
  return {
    request: { validUntil, seqno, messages: actions === null ? [] : messagesIn(actions) },
    signature,
  };
}

/** The wallet's seqno in any external message that it accepts; null for another. */
export function signedSeqno(body: Cell): bigint | null {
  const slice = body.beginParse();
  if (slice.remainingBits < 128 || slice.loadUint(32) !== OP_SIGNED_EXTERNAL) return null;
  return slice.skip(64).loadUintBig(32);
}

function actionsOf({ messages }: WalletRequest): Cell | null {
  if (messages.length === 0) return null;
  if (messages.length > MESSAGES_MAX)
    throw new RangeError(`a wallet sends at most ${MESSAGES_MAX} messages at once`);
  const actions = messages.map(
    (message): OutActionSendMsg => ({ type: 'sendMsg', mode: SEND_MODE, outMsg: written(message) }),
  );
  return beginCell().store(storeOutList(actions)).endCell();
}

function written({ to, bounce, coins, jettons }: WalletMessage): MessageRelaxed {
  const body = jettons === null ? Cell.EMPTY : transferBody(jettons);
  return internal({ to: Address.parseRaw(to), bounce, value: coins, body });
}

function transferBody({ queryId, units, to, response, forwardCoins }: JettonOrder): Cell {
  return beginCell()
    .storeUint(OP_TRANSFER, 32)
    .storeUint(queryId, 64)
    .storeCoins(units)
    .storeAddress(Address.parseRaw(to))
    .storeAddress(Address.parseRaw(response))
    .storeBit(0)
    .storeCoins(forwardCoins)
    .storeBit(0)
    .endCell();
}

function messagesIn(actions: Cell): WalletMessage[] {
  return loadOutList(actions.beginParse()).map((action) => {
    if (action.type !== 'sendMsg' || action.outMsg.info.type !== 'internal')
      throw new Error('an action that sends no message to a contract');
    const { info, body } = action.outMsg;
    const jettons = body.bits.length === 0 && body.refs.length === 0 ? null : jettonsIn(body);
    return { to: info.dest.toRawString(), bounce: info.bounce, coins: info.value.coins, jettons };
  });
}

function jettonsIn(body: Cell): JettonOrder {
  const slice = body.beginParse();
  if (slice.loadUint(32) !== OP_TRANSFER) throw new Error('a body that transfers no jettons');
  const [queryId, units] = [slice.loadUintBig(64), slice.loadCoins()];
  const [to, response] = [slice.loadAddress(), slice.loadAddress()];
  if (slice.loadBit()) throw new Error('a custom payload');
  const forwardCoins = slice.loadCoins();
  if (slice.loadBit()) throw new Error('a forward payload');
  slice.endParse();
  return { queryId, units, to: to.toRawString(), response: response.toRawString(), forwardCoins };
}

/** What identifies a message's body once it is on the chain. */
export function messageBodyHash({ jettons }: WalletMessage): Buffer {
  return (jettons === null ? Cell.EMPTY : transferBody(jettons)).hash();
}
