/**
 * Orders at random with the requests that fulfil them, and what @ton/ton makes of the same requests
 * with OpenSSL's signatures.
 */
import { createPrivateKey, sign } from 'node:crypto';
import {
  Address,
  beginCell,
  type Cell,
  external,
  internal,
  type MessageRelaxed,
  SendMode,
  storeMessage,
} from '@ton/core';
import { deriveEd25519Path, type KeyPair, keyPairFromSeed } from '@ton/crypto';
import { WalletContractV5R1 } from '@ton/ton';
import { Mnemonic } from 'ethers';
import type { CellId } from '../../../src/adapters/chains/ton/codec/cell-hash.ts';
import { writePayload } from '../../../src/adapters/chains/ton/codec/payload.ts';
import type { WalletMessage, WalletRequest } from '../../../src/adapters/chains/ton/codec/wallet-request.ts';
import { JETTON_COINS } from '../../../src/adapters/chains/ton/send/costs.ts';
import type { SigningOrder, WalletKey } from '../../../src/ports/sending/signer.ts';
import type { Seeded } from '../runtime/seeded.ts';
import { testJetton } from './jetton.ts';
import { PHRASE, tonSigner } from './ton-sending.ts';

const jetton = testJetton({ salt: 'the listed jetton', decimals: 6 });
const { code: codeCell } = jetton.walletState(new Address(0, Buffer.alloc(32, 9)));
/** Of the listed jetton's wallets. */
export const code: CellId = { hash: codeCell!.hash(), depth: codeCell!.depth() };
export const COINS = { chainId: null, contract: null, decimals: 9 };
export const JETTONS = { chainId: null, contract: jetton.minter.toString(), decimals: 6 };

export interface Wallets {
  readonly keyPair: KeyPair;
  /** Raw. */
  readonly hot: string;
}

export async function openWallets(): Promise<Wallets> {
  const seed = Buffer.from(Mnemonic.fromPhrase(PHRASE).computeSeed().slice(2), 'hex');
  return {
    keyPair: keyPairFromSeed(await deriveEd25519Path(seed, [44, 607, 0])),
    hot: await tonSigner.addressOf({ role: 'hot' }),
  };
}

const KEYS: readonly [WalletKey, ...WalletKey[]] = [
  { role: 'hot' },
  ...[0, 1, 77, 123_456, 2 ** 31 - 1].map((index) => ({ role: 'deposit', index }) as const),
];
export const addressOf = (from: Seeded): Address =>
  new Address(0, Buffer.from(Array.from({ length: 32 }, () => from.int(256))));
export const raw = (address: Address): string => address.toRawString();

const oracles = new Map<string, WalletContractV5R1>();

/** The wallet of @ton/ton for one of our keys. */
export function oracle({ keyPair }: Wallets, key: WalletKey): WalletContractV5R1 {
  const { publicKey } = keyPair;
  const name = JSON.stringify(key);
  const networkGlobalId = -239;
  const made =
    oracles.get(name) ??
    (key.role === 'hot'
      ? WalletContractV5R1.create({ publicKey })
      : WalletContractV5R1.create({ publicKey, walletId: { networkGlobalId, context: key.index } }));
  oracles.set(name, made);
  return made;
}

/** OpenSSL's signature, of the key in the form that it reads (PKCS #8). */
function opensslSignature({ keyPair }: Wallets, data: Buffer): Buffer {
  const der = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    keyPair.secretKey.subarray(0, 32),
  ]);
  return sign(null, data, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

/** The external message that @ton/ton makes of the same request. */
export async function oracleExternal(
  wallets: Wallets,
  key: WalletKey,
  { seqno, validUntil, messages }: WalletRequest,
): Promise<Cell> {
  const wallet = oracle(wallets, key);
  const body = await wallet.createTransfer({
    seqno: Number(seqno),
    timeout: Number(validUntil),
    signer: async (part) => opensslSignature(wallets, part.hash()),
    sendMode: SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS,
    messages: messages.map(relaxed),
  });
  const init = seqno === 0n ? { init: wallet.init } : {};
  return beginCell()
    .store(storeMessage(external({ to: wallet.address, body, ...init })))
    .endCell();
}

export function relaxed({ to, bounce, coins, jettons }: WalletMessage): MessageRelaxed {
  const target = { to: Address.parse(to), bounce, value: coins };
  if (jettons === null) return internal(target);
  const { queryId, units, to: owner, response, forwardCoins } = jettons;
  const body = beginCell().storeUint(0xf8a7ea5, 32).storeUint(queryId, 64).storeCoins(units);
  body.storeAddress(Address.parse(owner)).storeAddress(Address.parse(response)).storeBit(0);
  return internal({ ...target, body: body.storeCoins(forwardCoins).storeBit(0).endCell() });
}

export interface Case {
  readonly order: SigningOrder;
  readonly request: WalletRequest;
  readonly terms: typeof COINS | typeof JETTONS;
}

/** An order and the request that fulfils it. */
export async function aCase(
  { hot }: Wallets,
  random: Seeded,
  given: { jettons: boolean; count: number; key?: WalletKey },
): Promise<Case> {
  const key: WalletKey = given.key ?? random.pick(KEYS);
  const wallet = await tonSigner.addressOf(key);
  const nonce = BigInt(random.int(4) === 0 ? 0 : random.int(2 ** 31));
  const validUntil = BigInt(1_750_000_000 + random.int(1_000_000));
  const own = raw(jetton.walletOf(Address.parse(wallet)));
  const payments = Array.from({ length: given.count }, (_, position) => {
    const address = addressOf(random);
    const bounceable = random.pick([true, false]);
    const to = random.pick([raw(address), address.toString({ bounceable })]);
    const units = BigInt(1 + random.int(2 ** 32)) * BigInt(1 + random.int(2 ** 20));
    const bounce = to.startsWith('UQ') ? false : random.pick([true, false]);
    const queryId = nonce * 256n + BigInt(position);
    const message: WalletMessage = given.jettons
      ? {
          ...{ to: own, bounce: true, coins: JETTON_COINS },
          jettons: { queryId, units, to: raw(address), response: hot, forwardCoins: BigInt(random.int(2)) },
        }
      : { to: raw(address), bounce, coins: units, jettons: null };
    return { to, units, message, transferId: `t${position}`, referenceId: `p${position}`, toKey: null };
  });
  const request = { validUntil, seqno: nonce, messages: payments.map(({ message }) => message) };
  const order: SigningOrder = {
    ...{
      chain: 'ton',
      key,
      wallet,
      nonce,
      validUntil,
      inputs: [],
      voids: false,
      feePayer: null,
      replaces: null,
    },
    purpose: key.role === 'hot' ? 'payout' : 'sweep',
    asset: given.jettons ? 'usdt_ton' : 'ton_ton',
    payments: payments.map(({ to, units, transferId, referenceId, toKey }) => ({
      ...{ to, units, transferId, referenceId, toKey },
    })),
    payload: writePayload({ request, code: given.jettons ? code : null }),
  };
  return { order, request, terms: given.jettons ? JETTONS : COINS };
}
