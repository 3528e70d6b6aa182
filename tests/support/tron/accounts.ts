/**
 * Accounts of the Tron test server beside their balances: who signs for them, and their bandwidth
 * and energy.
 */
import { larger, smaller } from '../../../src/domain/money/larger.ts';
import type { HexAddress } from './machine.ts';
import { DAY_MS, type Parameters, TRX } from './parameters.ts';

export interface TronAccount {
  readonly createdMs: number;
  readonly isContract: boolean;
  /** Whose key signs: the account's own until its permissions change. */
  signer: HexAddress;
  /** Sun staked for energy and not lent to others, and what others lend to it. */
  staked: bigint;
  borrowed: bigint;
  energyUsed: Usage;
  freeNetUsed: Usage;
}

/** Comes back evenly within a day. */
interface Usage {
  readonly amount: bigint;
  readonly atMs: number;
}

export interface Accounts {
  get(address: HexAddress): TronAccount | undefined;
  /** Answers whether it is new. */
  create(address: HexAddress, options: { nowMs: number; isContract?: boolean }): boolean;
  /** Energy that its stake, and what it borrowed, gives at present. */
  energyLeft(address: HexAddress, nowMs: number): bigint;
  energyLimit(account: TronAccount): bigint;
  useEnergy(address: HexAddress, energy: bigint, nowMs: number): void;
  freeNetUsed(address: HexAddress, nowMs: number): bigint;
  useFreeNet(address: HexAddress, bytes: bigint, nowMs: number): void;
  /** Sun of its stake whose energy is unused, which is what it can lend. */
  idleStake(address: HexAddress, nowMs: number): bigint;
  /** Sun of `owner`'s stake that `receiver` may use. */
  lent(owner: HexAddress, receiver: HexAddress): bigint;
  lend(owner: HexAddress, receiver: HexAddress, sun: bigint): void;
  /** What the receiver has used of it is the owner's use from now on. */
  takeBack(owner: HexAddress, receiver: HexAddress, sun: bigint, nowMs: number): void;
  copy(): Accounts;
}

export function accounts(
  parameters: Parameters,
  known: ReadonlyMap<HexAddress, TronAccount> = new Map(),
  lending: ReadonlyMap<string, bigint> = new Map(),
): Accounts {
  const all = new Map([...known].map(([address, account]) => [address, { ...account }]));
  const lentOut = new Map(lending);
  const at = (address: HexAddress): TronAccount => {
    const account = all.get(address);
    if (!account) throw new Error(`there is no account ${address}`);
    return account;
  };
  const energyOf = (sun: bigint): bigint =>
    (sun * parameters.totalEnergyLimit) / (parameters.totalEnergyWeight * TRX);
  const energyLimit = ({ staked, borrowed }: TronAccount): bigint => energyOf(staked + borrowed);

  const energyLeft = (address: HexAddress, nowMs: number): bigint =>
    larger(0n, energyLimit(at(address)) - usedNow(at(address).energyUsed, nowMs));

  return {
    get: (address) => all.get(address),
    create(address, { nowMs, isContract = false }) {
      if (all.has(address)) return false;
      const unused = { amount: 0n, atMs: nowMs };
      const account = { createdMs: nowMs, isContract, signer: address, staked: 0n, borrowed: 0n };
      all.set(address, { ...account, energyUsed: unused, freeNetUsed: unused });
      return true;
    },
    energyLimit,
    energyLeft,
    idleStake: (address, nowMs) =>
      (at(address).staked * energyLeft(address, nowMs)) / larger(1n, energyLimit(at(address))),
    useEnergy(address, energy, nowMs) {
      const account = at(address);
      account.energyUsed = { amount: usedNow(account.energyUsed, nowMs) + energy, atMs: nowMs };
    },
    freeNetUsed: (address, nowMs) => usedNow(at(address).freeNetUsed, nowMs),
    useFreeNet(address, bytes, nowMs) {
      const account = at(address);
      account.freeNetUsed = { amount: usedNow(account.freeNetUsed, nowMs) + bytes, atMs: nowMs };
    },
    lent: (owner, receiver) => lentOut.get(`${owner} ${receiver}`) ?? 0n,
    lend(owner, receiver, sun) {
      at(owner).staked -= sun;
      at(receiver).borrowed += sun;
      lentOut.set(`${owner} ${receiver}`, (lentOut.get(`${owner} ${receiver}`) ?? 0n) + sun);
    },
    takeBack(owner, receiver, sun, nowMs) {
      const [mine, theirs] = [at(owner), at(receiver)];
      const used = usedNow(theirs.energyUsed, nowMs);
      const share = (used * sun) / (theirs.staked + theirs.borrowed);
      const moved = smaller(share, energyOf(sun));
      theirs.energyUsed = { amount: used - moved, atMs: nowMs };
      mine.energyUsed = { amount: usedNow(mine.energyUsed, nowMs) + moved, atMs: nowMs };
      theirs.borrowed -= sun;
      mine.staked += sun;
      lentOut.set(`${owner} ${receiver}`, (lentOut.get(`${owner} ${receiver}`) ?? 0n) - sun);
    },
    copy: () => accounts(parameters, all, lentOut),
  };
}

function usedNow({ amount, atMs }: Usage, nowMs: number): bigint {
  const passed = BigInt(Math.min(DAY_MS, nowMs - atMs));
  return (amount * (BigInt(DAY_MS) - passed)) / BigInt(DAY_MS);
}
