/**
 * Energy of the hot wallet's stake, delegated to a deposit address for its sweep: the cost compared
 * with burning, and the transactions that lend it and take it back. Lent stake stays the hot
 * wallet's. The energy that the address used returns to the stake within a day.
 */

import { larger } from '../../../../domain/money/larger.ts';
import type { DelegationOffer } from '../../../../domain/sweeps/sweep.ts';
import {
  type SendingOrder,
  SendingRefused,
  type UnsignedTransaction,
} from '../../../../ports/sending/chain-sender.ts';
import { fields, list, unusable } from '../../shared/nodes/answers.ts';
import { RpcError } from '../../shared/nodes/node-errors.ts';
import { onlyPayment } from '../../shared/send/only-payment.ts';
import { amount } from '../answers.ts';
import {
  referenceTo,
  signedBytes,
  type TronAction,
  type TronTransaction,
  writeTransaction,
} from '../codec/transaction.ts';
import type { TronNode } from '../node.ts';
import { headHeader } from '../read/blocks.ts';
import { bandwidthFee, bandwidthOf, withRoom } from './fees.ts';
import { expirationAfter, presentHead } from './lifetime.ts';
import { usualEnergy } from './price.ts';
import { readAccount, readPrices, readResources, type WalletResources } from './resources.ts';
import { ownWallet, type TronSending } from './sending.ts';

/** Signed bytes of a transaction that lends or takes back, at most. */
const LENDING_BYTES = 230;
const COIN_BYTES = 210;
const TOKEN_BYTES = 290;
/** The network lends no less stake than this, in sun. */
const LEAST_STAKE = 1_000_000n;
/** ResourceCode.ENERGY */
const ENERGY = 1;

/**
 * The cost of sweeping a token from `address`, by burning and by lending. The sweep's own bytes are
 * the same in both, and are not counted.
 */
export async function compareEnergy(
  sending: TronSending,
  sweep: { hot: string; address: string; asset: string },
): Promise<DelegationOffer> {
  const [hot, address] = [ownWallet(sweep.hot), ownWallet(sweep.address)];
  const contract = sending.assets.of(sweep.asset);
  if (contract === null) throw new Error('the native coin is swept without energy');
  return sending.pool.use(async (node) => {
    const prices = await readPrices(node);
    const activates = (await readAccount(node, address)) === null;
    // The chain gives a new address the free bytes of a day, which are enough.
    const there = activates ? null : await readResources(node, address);
    const own = there?.energy ?? 0n;
    const paysBytes = there !== null && bandwidthFee(bandwidthOf(TOKEN_BYTES), prices, there).needed > 0n;
    const usual = await usualEnergy(node, contract, hot);
    const resources = await readResources(node, hot);
    const gas = activates
      ? prices.activation + prices.activationBandwidth
      : bandwidthFee(bandwidthOf(COIN_BYTES), prices, resources).needed;
    const burnUnits = larger(0n, usual - own) * prices.energy + gas;
    const stakeUnits = stakeFor(larger(0n, withRoom(usual) - own), resources);
    const idleUnits = await idleStake(node, hot);
    if (stakeUnits > idleUnits || paysBytes) return { burnUnits, lend: null, activates };
    // The free bytes of the day are not counted: payouts use them up.
    const bytes = 2n * bandwidthOf(LENDING_BYTES);
    const lending = resources.stakedBytes >= bytes ? 0n : bytes * prices.byte;
    const costUnits = lending + (activates ? gas : 0n);
    return { burnUnits, lend: { costUnits, stakeUnits, idleUnits }, activates };
  });
}

/** The least stake, in sun, with this much energy. */
function stakeFor(energy: bigint, { energyOfAll, stakeOfAll }: WalletResources): bigint {
  const total = larger(1n, energyOfAll);
  return larger(LEAST_STAKE, (energy * stakeOfAll + total - 1n) / total);
}

/** Stake of `owner` whose energy is unused: only that can be delegated now. */
async function idleStake(node: TronNode, owner: string): Promise<bigint> {
  const question = { owner_address: owner, type: ENERGY };
  const answer = fields(await node.ask('wallet/getcandelegatedmaxsize', question), 'idle stake');
  return amount(answer.max_size, 'idle stake');
}

/** EnergyDelegation.delegated, by the solidified state. */
export async function delegatedStake(
  { pool }: Pick<TronSending, 'pool'>,
  { hot, address, height }: { hot: string; address: string; height: number },
): Promise<bigint | null> {
  const [from, to] = [ownWallet(hot), ownWallet(address)];
  const answers = await pool.every((node) => lentBy(node, { from, to, height }));
  const told = answers.filter((units) => units !== null);
  return told.length === 0 ? null : told.reduce(larger);
}

async function lentBy(
  node: TronNode,
  { from, to, height }: { from: string; to: string; height: number },
): Promise<bigint | null> {
  try {
    if ((await headHeader(node, 'walletsolidity')).height < height) return null;
    const question = { fromAddress: from, toAddress: to };
    const answer = fields(await node.ask('walletsolidity/getdelegatedresourcev2', question), 'loans');
    return list(answer.delegatedResource ?? [], 'loans').reduce((sum: bigint, item) => {
      const loan = fields(item, 'loan');
      if (loan.from !== from || loan.to !== to) throw unusable('another loan than asked');
      return sum + amount(loan.frozen_balance_for_energy, 'loan');
    }, 0n);
  } catch (error) {
    if (error instanceof RpcError) return null;
    throw error;
  }
}

/** Writes the transaction that lends, or takes back, the stake of an order. */
export async function prepareDelegation(
  { chain, clock, pool }: TronSending,
  order: SendingOrder,
  dead: TronTransaction | null,
): Promise<UnsignedTransaction> {
  const owner = ownWallet(order.wallet);
  const { to, units } = onlyPayment(order);
  const kind = order.delegates === 'energy' ? 'lend_energy' : 'take_energy_back';
  return pool.use(async (node) => {
    const reference = await headHeader(node, 'walletsolidity');
    const head = await presentHead({ clock }, node);
    if (dead !== null && reference.timeMs < dead.expiration)
      throw new SendingRefused('unclear', `${chain}: what was signed before may still be mined`);
    const state = await readAccount(node, owner);
    if (state === null) throw new SendingRefused('money', `${order.wallet} is not activated: it has no TRX`);
    if (kind === 'lend_energy') await checkLoan(node, { chain, owner, to, units });
    const action: TronAction = { kind, to, units };
    const transaction: TronTransaction = {
      owner: order.wallet,
      action,
      reference: referenceTo(reference),
      expiration: expirationAfter(head.timeMs, order.nonce),
      timestamp: reference.timeMs,
      feeLimit: 0n,
    };
    const payload = writeTransaction(transaction);
    const prices = await readPrices(node);
    const fee = bandwidthFee(bandwidthOf(signedBytes(payload)), prices, await readResources(node, owner));
    if (state.balance < fee.needed)
      throw new SendingRefused('money', `${order.wallet} has too little TRX for the fee`);
    return { payload, maxFeeUnits: fee.most, validUntil: transaction.expiration };
  });
}

async function checkLoan(
  node: TronNode,
  { chain, owner, to, units }: { chain: string; owner: string; to: string; units: bigint },
): Promise<void> {
  if ((await readAccount(node, ownWallet(to))) === null)
    throw new SendingRefused(
      'unclear',
      `${chain}: energy cannot be delegated to an address that is not activated`,
    );
  if ((await idleStake(node, owner)) < units)
    throw new SendingRefused('money', `${chain}: the stake has less unused energy than the loan needs`);
}
