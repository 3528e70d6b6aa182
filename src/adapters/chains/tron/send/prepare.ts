/**
 * Unsigned transactions. Each payment is tried on the chain's present state before it is signed: if
 * it would revert, or if the wallet cannot pay, it is refused here, while a refusal is still free.
 */
import { spendableUnits } from '../../../../domain/sending/own-money.ts';
import {
  type SendingOrder,
  SendingRefused,
  type UnsignedTransaction,
} from '../../../../ports/sending/chain-sender.ts';
import { onlyPayment } from '../../shared/send/only-payment.ts';
import { preparedOn } from '../../shared/send/prepared.ts';
import { tried } from '../../shared/send/trial.ts';
import { addressHex, addressText } from '../address.ts';
import {
  referenceTo,
  signedBytes,
  storedTransaction,
  type TronAction,
  type TronTransaction,
  writeTransaction,
} from '../codec/transaction.ts';
import { constantCall } from '../constant-call.ts';
import { transferCall } from '../contract.ts';
import type { TronNode } from '../node.ts';
import { headHeader, type TronHeader } from '../read/blocks.ts';
import { readTransferLog } from '../read/payments.ts';
import { prepareDelegation } from './energy-delegation.ts';
import { bandwidthOf, coinFee, type Energy, tokenFee, withRoom } from './fees.ts';
import { expirationAfter, presentHead } from './lifetime.ts';
import { ordinaryTransfer } from './price.ts';
import {
  type NetworkPrices,
  readAccount,
  readPrices,
  readResources,
  type TronAccountState,
  type WalletResources,
} from './resources.ts';
import { type AssetContract, AssetUnfit, ownWallet, type TronSending } from './sending.ts';
import { unitsOf } from './wallet-balances.ts';

export async function prepare(
  sending: TronSending,
  order: SendingOrder,
  replaces: { raw: string } | null,
): Promise<UnsignedTransaction> {
  if (order.voids) throw new Error('a nonce of Tron need not be used up');
  const dead = replaces === null ? null : deadOne(order, replaces.raw);
  if (order.delegates !== undefined) return prepareDelegation(sending, order, dead);
  return preparedOn(sending, (node) => prepareOn(sending, node, order, dead));
}

function deadOne(order: SendingOrder, raw: string): TronTransaction {
  const dead = storedTransaction(raw);
  if (dead.owner !== order.wallet) throw new Error('the transaction to be replaced is of another wallet');
  return dead;
}

async function prepareOn(
  sending: TronSending,
  node: TronNode,
  order: SendingOrder,
  dead: TronTransaction | null,
): Promise<UnsignedTransaction> {
  const { chain } = sending;
  const wallet = ownWallet(order.wallet);
  const { to, units, extraGas = null } = onlyPayment(order);
  const recipient = addressHex(to);
  if (recipient === null) throw new SendingRefused('undone', `${to} is not a Tron address`);
  if (recipient === wallet)
    throw new SendingRefused('undone', 'the chain refuses a payment to the sender itself');
  const contract = await fitContract(sending, order.asset, node);
  const { once } = sending.pool.rounds.moment(node);
  // A reorganisation never removes a solidified block, or a transaction because it refers to one.
  const reference = await once('solid', () => headHeader(node, 'walletsolidity'));
  const head = await once('present head', () => presentHead(sending, node));
  if (dead !== null && reference.timeMs < dead.expiration)
    throw new SendingRefused('unclear', `${chain}: what was signed before may still be mined`);
  const state = await once(`account ${wallet}`, () => ownState(sending, node, wallet));
  const held =
    contract === null
      ? state.balance
      : await once(`${contract} of ${wallet}`, () => unitsOf(node, 'wallet', { wallet, contract }));
  if (held < units)
    throw new SendingRefused('money', `${order.wallet} has less than the ${units} base units to send`);

  const means: DraftingMeans = {
    prices: await once('prices', () => readPrices(node)),
    resources: await once(`resources ${wallet}`, () => readResources(node, wallet)),
    draft: (action, feeLimit) => draft({ order, action, feeLimit, reference, head }),
  };
  const { transaction, most, needed } =
    contract === null
      ? await nativeTransaction(node, { wallet, to, recipient, units }, means)
      : await tokenTransaction(sending, node, { wallet, contract, to, recipient, units, extraGas }, means);
  if (spendableUnits(state.balance, order.own) < needed + (contract === null ? units : 0n))
    throw new SendingRefused('money', `${order.wallet} has too little TRX for the amount and the fee`);
  if (most > sending.ceiling)
    throw new SendingRefused('fees', `${chain}: the fee would be above the configured ceiling`);
  return {
    payload: writeTransaction(transaction),
    maxFeeUnits: most,
    validUntil: transaction.expiration,
  };
}

interface DraftingMeans {
  readonly prices: NetworkPrices;
  readonly resources: WalletResources;
  draft(action: TronAction, feeLimit: bigint): TronTransaction;
}

interface DraftedTransaction {
  readonly transaction: TronTransaction;
  readonly most: bigint;
  readonly needed: bigint;
}

/**
 * A wallet without any native payment is not on the chain, and one whose permissions changed may
 * have another owner (safety.md T5).
 */
async function ownState({ chain }: TronSending, node: TronNode, wallet: string): Promise<TronAccountState> {
  const state = await readAccount(node, wallet);
  if (state === null)
    throw new SendingRefused('money', `${addressText(wallet)} is not activated: it has no TRX`);
  if (state.owners.some((owner) => owner !== wallet))
    throw new SendingRefused('unclear', `${chain}: the permissions of ${addressText(wallet)} were changed`);
  return state;
}

interface TokenPayment {
  readonly wallet: string;
  readonly contract: string;
  readonly to: string;
  readonly recipient: string;
  readonly units: bigint;
  readonly extraGas: bigint | null;
}

async function fitContract({ assets }: TronSending, asset: string, node: TronNode): Promise<AssetContract> {
  try {
    return await assets.checked(asset, node);
  } catch (error) {
    throw error instanceof AssetUnfit ? new SendingRefused('unclear', error.message) : error;
  }
}

function draft(of: {
  order: SendingOrder;
  action: TronAction;
  feeLimit: bigint;
  reference: TronHeader;
  head: TronHeader;
}): TronTransaction {
  const { order, action, feeLimit, reference, head } = of;
  return {
    owner: order.wallet,
    action,
    reference: referenceTo(reference),
    expiration: expirationAfter(head.timeMs, order.nonce),
    // The reference's own time: a later check of a node's history finds the block by it.
    timestamp: reference.timeMs,
    feeLimit,
  };
}

async function nativeTransaction(
  node: TronNode,
  { wallet, to, recipient, units }: { wallet: string; to: string; recipient: string; units: bigint },
  { prices, resources, draft: drafted }: DraftingMeans,
): Promise<DraftedTransaction> {
  const account = await tried({
    label: node.label,
    ask: () => readAccount(node, recipient),
    control: () => readAccount(node, wallet),
  });
  if (account?.isContract)
    throw new SendingRefused('undone', 'the chain refuses a plain TRX payment to a contract');
  const transaction = drafted({ kind: 'coin', to, units }, 0n);
  const bandwidth = bandwidthOf(signedBytes(writeTransaction(transaction)));
  return { transaction, ...coinFee({ bandwidth, creates: account === null }, prices, resources) };
}

async function tokenTransaction(
  sending: TronSending,
  node: TronNode,
  payment: TokenPayment,
  { prices, resources, draft: drafted }: DraftingMeans,
): Promise<DraftedTransaction> {
  const { chain, ceiling } = sending;
  const { contract, to, units } = payment;
  const energy = await triedTransfer(node, payment);
  const mostEnergy = await boundOf(sending, node, payment, energy);
  const action: TronAction = { kind: 'token', contract: addressText(contract), to, units };
  // Any fee limit takes as many bytes as this one.
  const bandwidth = bandwidthOf(signedBytes(writeTransaction(drafted(action, prices.feeLimitMax))));
  const fee = tokenFee({ bandwidth, energy, mostEnergy }, prices, resources, ceiling);
  if (fee.feeLimit < fee.least)
    throw new SendingRefused('fees', `${chain}: the fee would be above the configured ceiling`);
  return { transaction: drafted(action, fee.feeLimit), most: fee.most, needed: fee.needed };
}

/**
 * Energy that may be signed for: that of an ordinary transfer to a new holder at present, which was
 * quoted, with room for a busier contract (safety.md G2). SendingRefused `cost` for a transfer that
 * takes more; null where nothing was quoted.
 */
async function boundOf(
  { ordinaryEnergy, pool }: TronSending,
  node: TronNode,
  { contract, to, extraGas }: TokenPayment,
  { tried: energy }: Energy,
): Promise<bigint | null> {
  if (extraGas === null) return null;
  const allowed = (ordinary: bigint): bigint => withRoom(ordinary + extraGas);
  const { once } = pool.rounds.moment(node);
  const known = allowed(await once(`ordinary ${contract}`, () => ordinaryEnergy(node, contract)));
  // The penalty of a busy contract may have risen since it was read.
  const bound = energy <= known ? known : allowed(await ordinaryEnergy(node, contract, { anew: true }));
  if (energy <= bound) return bound;
  throw new SendingRefused('cost', `${to} takes ${energy} energy where ${bound} were quoted for it`);
}

/**
 * The return value of `transfer` proves nothing on Tron (safety.md T6): its log does. A node too
 * old to return logs delays it.
 */
async function triedTransfer(
  node: TronNode,
  payment: { wallet: string; contract: string; recipient: string; units: bigint },
): Promise<Energy> {
  const { wallet, contract, recipient, units } = payment;
  const data = transferCall({ to: recipient, units });
  const called = await tried({
    label: node.label,
    ask: () => constantCall(node, { owner: wallet, contract, data }),
    control: () => ordinaryTransfer(node, contract),
  });
  if (called.kind !== 'done') {
    const reason = called.kind === 'failed' ? called.reason : 'there is no such contract';
    throw new SendingRefused('undone', `the transaction would revert: ${reason}`);
  }
  const moved = called.logs.some((log) => {
    const transfer = `41${log.contract}` === contract ? readTransferLog(log) : null;
    return transfer?.from === addressText(wallet) && transfer.to === addressText(recipient);
  });
  if (!moved) throw new SendingRefused('unclear', 'the contract would log no transfer');
  return { tried: called.energy, penalty: called.penalty };
}
