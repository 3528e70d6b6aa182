/**
 * What sending costs on Tron, and what a wallet has for it: prices that the network votes on, and
 * energy and bandwidth of stake.
 */

import { larger } from '../../../../domain/money/larger.ts';
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import { amount } from '../answers.ts';
import type { TronNode } from '../node.ts';

/** In a whole TRX, in which the network counts stake. */
const SUN = 1_000_000n;

/** Sun, unless named otherwise. */
export interface NetworkPrices {
  /** Per byte of bandwidth, and per unit of energy. */
  readonly byte: bigint;
  readonly energy: bigint;
  /**
   * For an account that is new to the chain: the cost of its creation, and what is paid instead of
   * its bandwidth.
   */
  readonly activation: bigint;
  readonly activationBandwidth: bigint;
  /** Highest fee_limit of a transaction. */
  readonly feeLimitMax: bigint;
}

export async function readPrices(node: TronNode): Promise<NetworkPrices> {
  const answer = fields(await node.ask('wallet/getchainparameters'), 'chain parameters');
  const named = new Map<unknown, unknown>(
    list(answer.chainParameter, 'chain parameters').map((item) => {
      const { key, value } = fields(item, 'chain parameter');
      return [key, value];
    }),
  );
  const parameter = (name: string): bigint => {
    if (!named.has(name)) throw unusable(`no chain parameter ${name}`);
    return amount(named.get(name), name);
  };
  return {
    byte: parameter('getTransactionFee'),
    energy: parameter('getEnergyFee'),
    activation: parameter('getCreateNewAccountFeeInSystemContract'),
    activationBandwidth: parameter('getCreateAccountFee'),
    feeLimitMax: parameter('getMaxFeeLimit'),
  };
}

export interface TronAccountState {
  /** Sun, without stake. */
  readonly balance: bigint;
  readonly isContract: boolean;
  /** Addresses whose keys sign as its owner, in hex; empty while only its own does. */
  readonly owners: readonly string[];
}

/**
 * Null for an address that is not on the chain: it never received the native coin. `address` in
 * hex.
 */
export async function readAccount(
  node: TronNode,
  address: string,
  part: 'wallet' | 'walletsolidity' = 'wallet',
): Promise<TronAccountState | null> {
  const answer = fields(await node.ask(`${part}/getaccount`, { address }), 'account');
  if (answer.address === undefined) return null;
  if (answer.address !== address) throw unusable('another account than asked');
  const { keys } = fields(answer.owner_permission ?? {}, 'owner permission');
  return {
    balance: amount(answer.balance, 'balance'),
    isContract: answer.type === 'Contract',
    owners: list(keys ?? [], 'owner keys').map((key) => String(fields(key, 'owner key').address)),
  };
}

export interface WalletResources {
  /** Of its own stake and of stake delegated to it. */
  readonly energy: bigint;
  /**
   * Bytes that one transaction may take: they come either from stake or from the free ones of the
   * day.
   */
  readonly stakedBytes: bigint;
  readonly freeBytes: bigint;
  /**
   * Energy that all stake gives in a day, and that stake in sun; zero for an address that is not on
   * the chain.
   */
  readonly energyOfAll: bigint;
  readonly stakeOfAll: bigint;
}

export async function readResources(node: TronNode, address: string): Promise<WalletResources> {
  const answer = fields(await node.ask('wallet/getaccountresource', { address }), 'account resource');
  const left = (limit: string, used: string): bigint =>
    larger(0n, amount(answer[limit], limit) - amount(answer[used], used));
  return {
    energy: left('EnergyLimit', 'EnergyUsed'),
    stakedBytes: left('NetLimit', 'NetUsed'),
    freeBytes: left('freeNetLimit', 'freeNetUsed'),
    energyOfAll: amount(answer.TotalEnergyLimit, 'energy of all'),
    stakeOfAll: amount(answer.TotalEnergyWeight, 'stake of all') * SUN,
  };
}
