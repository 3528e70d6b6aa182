/**
 * A laboratory on a TON chain in memory: its API server, two jettons, payments of every kind from
 * wallets nobody looks at.
 */
import { createHash } from 'node:crypto';
import { Address, beginCell, Cell, type Message, type StateInit } from '@ton/core';
import { createShardAccount } from '@ton/sandbox';
import { tonDeriver } from '../../../src/adapters/chains/ton/deriver.ts';
import { tonNetwork } from '../../../src/adapters/chains/ton/network.ts';
import { readShardAccount, shardAccountText } from './execution.ts';
import { internalTransferBody, type TestJetton, testJetton } from './jetton.ts';
import { openTonChain, type TonChain, type TonRecord } from './ton-chain.ts';
import { startToncenterServer, type ToncenterServer } from './toncenter-server.ts';

export const TON = 1_000_000_000n;
export const NATIVE = 'ton_ton';
export const USDT = 'usdt_ton';
/** For tests that never sign. */
const NO_KEY = '07'.repeat(32);
const START_TIME = 1_750_000_000;
const FIRST_BLOCKS = 5;

interface NativePayment {
  readonly to: string;
  readonly units: bigint;
  /** Default false, as our addresses ask for. */
  readonly bounce?: boolean;
  readonly body?: Cell;
  readonly from?: Address;
  readonly bounced?: boolean;
}

export interface TonLab {
  readonly chain: TonChain;
  /** Hex: whose wallets the deposit addresses are. */
  readonly publicKey: string;
  readonly server: ToncenterServer;
  readonly network: ReturnType<typeof tonNetwork>;
  readonly jetton: TestJetton;
  /** A jetton of the same code that is not built in. */
  readonly stranger: TestJetton;
  /** Deposit addresses of `publicKey`, raw, one after the other. */
  freshAddress(): string;
  /** Raw. */
  readonly hotWallet: string;
  addressOf(raw: string): Address;
  /** An address that is nobody's, raw. */
  strangersAddress(number: number): string;
  /** How many of them were given out. */
  readonly indexesUsed: number;
  /** Each arrives in the next block. */
  pay(payment: NativePayment): void;
  payJetton(payment: {
    to: string;
    units: bigint;
    jetton?: TestJetton;
    forwardUnits?: bigint;
    attached?: bigint;
    from?: Address;
  }): void;
  internalTransfer(transfer: { units: bigint; from: Address }): Cell;
  /** The newest transaction of an account. */
  last(address: string): TonRecord;
  balanceOf(address: string): bigint;
  jettonsOf(owner: string, jetton?: TestJetton): bigint;
  /** Puts a contract there. */
  place(address: Address, state: StateInit, balance?: bigint): void;
  /** The coins of an account that is there, from the newest block on. */
  setBalance(address: string, coins: bigint): void;
  mine(count?: number): Promise<void>;
  close(): Promise<void>;
}

export const PAYER = new Address(0, createHash('sha256').update('a payer').digest());

/**
 * `time`: Unix seconds at which the chain begins. `blockSeconds`: between two blocks; 3 unless said
 * otherwise.
 */
export async function openTonLab(
  options: { publicKey?: string; time?: number; blockSeconds?: number } = {},
): Promise<TonLab> {
  const { publicKey = NO_KEY, time = START_TIME, ...pace } = options;
  const network = tonNetwork('main');
  const chain = await openTonChain({ globalId: network.globalId, time, ...pace });
  const server = await startToncenterServer(chain);
  const jetton = testJetton({ salt: 'the listed jetton', decimals: 6 });
  const stranger = testJetton({ salt: 'another jetton', decimals: 6 });
  const deriver = tonDeriver({ network, publicKey });
  let indexesUsed = 0;
  let sent = 0n;

  const place: TonLab['place'] = (address, { code, data }, balance = TON) =>
    chain.setAccount(
      address.toRawString(),
      shardAccountText(createShardAccount({ address, code: code!, data: data!, balance })),
    );
  const message = (payment: NativePayment & { init?: StateInit }): Message => ({
    info: {
      type: 'internal',
      ihrDisabled: true,
      bounce: payment.bounce ?? false,
      bounced: payment.bounced ?? false,
      src: payment.from ?? PAYER,
      dest: Address.parse(payment.to),
      value: { coins: payment.units },
      ihrFee: 0n,
      forwardFee: 400_000n,
      createdLt: ++sent,
      createdAt: chain.tip.time,
    },
    init: payment.init ?? null,
    body: payment.body ?? Cell.EMPTY,
  });

  for (const { minter, minterState } of [jetton, stranger]) place(minter, minterState);
  await chain.mine(FIRST_BLOCKS);

  return {
    chain,
    publicKey,
    server,
    network,
    jetton,
    stranger,
    freshAddress: () => deriver.normalize(deriver.derive({ from: indexesUsed++, count: 1 })[0]!)!,
    hotWallet: deriver.normalize(deriver.hotWallet()!)!,
    addressOf: (raw) => Address.parse(raw),
    strangersAddress: (number) =>
      new Address(0, createHash('sha256').update(`nobody ${number}`).digest()).toRawString(),
    get indexesUsed() {
      return indexesUsed;
    },
    pay: (payment) => chain.inject(message(payment)),
    payJetton: ({
      to,
      units,
      jetton: of = jetton,
      forwardUnits = 1n,
      attached = TON / 10n,
      from = PAYER,
    }) => {
      const owner = Address.parse(to);
      const body = internalTransferBody({ units, from, response: from, forwardUnits });
      const wallet = of.walletOf(owner).toRawString();
      const init = of.walletState(owner);
      chain.inject(
        message({ to: wallet, units: attached, bounce: true, body, init, from: of.walletOf(from) }),
      );
    },
    internalTransfer: ({ units, from }) =>
      internalTransferBody({ units, from, response: from, forwardUnits: 0n }),
    last: (address) => {
      const [newest] = chain.history(address);
      if (newest === undefined) throw new Error(`${address} has no transaction`);
      return newest;
    },
    balanceOf: (address) => {
      const stored = chain.accountAt(Address.parse(address).toRawString(), chain.tip.seqno);
      return stored === null ? 0n : (readShardAccount(stored).account?.storage.balance.coins ?? 0n);
    },
    jettonsOf: (owner, of = jetton) => {
      const stored = chain.accountAt(of.walletOf(Address.parse(owner)).toRawString(), chain.tip.seqno);
      const state = stored === null ? null : readShardAccount(stored).account?.storage.state;
      return state?.type === 'active' ? state.state.data!.beginParse().skip(4).loadCoins() : 0n;
    },
    place,
    setBalance: (address, coins) => {
      const raw = Address.parse(address).toRawString();
      const shardAccount = readShardAccount(chain.accountAt(raw, chain.tip.seqno)!);
      shardAccount.account!.storage.balance.coins = coins;
      chain.setAccount(raw, shardAccountText(shardAccount));
    },
    mine: (count = 1) => chain.mine(count),
    close: () => server.stop(),
  };
}

/** A comment, as wallets attach it. */
export const commentBody = (text: string): Cell =>
  beginCell().storeUint(0, 32).storeStringTail(text).endCell();
