/**
 * The test jetton (contracts/): its contracts' states, addresses and messages, written with
 * @ton/core as TEP-74 says.
 */
import { createHash } from 'node:crypto';
import { Address, beginCell, Cell, contractAddress, Dictionary, type StateInit } from '@ton/core';
import { crc16 } from '../../../src/adapters/chains/shared/keys/crc16.ts';
import artefact from './contracts/jetton.artefact.json';

const WALLET_CODE = Cell.fromBase64(artefact.wallet);
const MINTER_CODE = Cell.fromBase64(artefact.minter);

/** Status bits of a jetton wallet: contracts/wallet.fc. */
const NORMAL = 0;
export const RECEIVES_NOTHING = 2;
export const MOVES_NOTHING = 4;

export interface TestJetton {
  readonly minter: Address;
  readonly minterState: StateInit;
  walletOf(owner: Address): Address;
  walletState(owner: Address, state?: { status?: number; units?: bigint }): StateInit;
}

/** `salt` makes another jetton of the same code; null content tells no decimals on the chain. */
export function testJetton(options: { salt: string; decimals: number | null }): TestJetton {
  const admin = new Address(0, createHash('sha256').update(options.salt).digest());
  const content = options.decimals === null ? offChain() : onChain(options.decimals);
  const minterState: StateInit = {
    code: MINTER_CODE,
    data: beginCell().storeCoins(0).storeAddress(admin).storeRef(content).storeRef(WALLET_CODE).endCell(),
  };
  const minter = contractAddress(0, minterState);
  const walletState: TestJetton['walletState'] = (owner, { status = NORMAL, units = 0n } = {}) => ({
    code: WALLET_CODE,
    data: beginCell()
      .storeUint(status, 4)
      .storeCoins(units)
      .storeAddress(owner)
      .storeAddress(minter)
      .endCell(),
  });
  return { minter, minterState, walletState, walletOf: (owner) => contractAddress(0, walletState(owner)) };
}

/** TEP-64: metadata elsewhere, as USDT's. */
const offChain = (): Cell =>
  beginCell().storeUint(1, 8).storeStringTail('https://example.com/jetton.json').endCell();

/** TEP-64: a dictionary on the chain, by the hash of the field's name. */
function onChain(decimals: number): Cell {
  const fields = Dictionary.empty(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell());
  const snake = beginCell().storeUint(0, 8).storeStringTail(String(decimals)).endCell();
  fields.set(createHash('sha256').update('decimals').digest(), snake);
  return beginCell().storeUint(0, 8).storeDict(fields).endCell();
}

/** What the payer's jetton wallet sends to the recipient's. */
export function internalTransferBody(transfer: {
  units: bigint;
  from: Address;
  response: Address | null;
  forwardUnits: bigint;
}): Cell {
  return beginCell()
    .storeUint(0x178d4519, 32)
    .storeUint(7, 64)
    .storeCoins(transfer.units)
    .storeAddress(transfer.from)
    .storeAddress(transfer.response)
    .storeCoins(transfer.forwardUnits)
    .storeBit(0)
    .endCell();
}

/** What a jetton wallet tells its owner. */
export function notificationBody(transfer: { units: bigint; from: Address }): Cell {
  return beginCell()
    .storeUint(0x7362d09c, 32)
    .storeUint(7, 64)
    .storeCoins(transfer.units)
    .storeAddress(transfer.from)
    .storeBit(0)
    .endCell();
}

/** The number under which a contract has a get method. */
export const selectorOf = (method: string): number => crc16(Buffer.from(method)) | 0x10000;
