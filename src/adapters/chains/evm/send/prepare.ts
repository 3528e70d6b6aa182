/**
 * Prices and unsigned transactions. Each payment is tried on the chain's present state before it is
 * signed: if it would revert, or if the wallet cannot pay, it is refused here, while a refusal is
 * still free.
 */
import { spendableUnits } from '../../../../domain/sending/own-money.ts';
import {
  type ChainSender,
  type SendingOrder,
  type SendingPrice,
  SendingRefused,
  type UnsignedTransaction,
} from '../../../../ports/sending/chain-sender.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { onlyPayment } from '../../shared/send/only-payment.ts';
import { preparedOn } from '../../shared/send/prepared.ts';
import { normalizeEvmAddress } from '../address.ts';
import { balanceCall, NOBODY } from '../contract.ts';
import { hexBytes, quantity } from '../decode.ts';
import { dataFee } from './data-fee.ts';
import { chooseFees, presentPrice, readMarket, reservedPrice } from './fees.ts';
import { mostGas, triedGas, usualGas, voidingGas } from './gas.ts';
import { AssetUnfit, type EvmSending, ownWallet, type SendableAsset } from './sending.ts';
import {
  type EvmPayment,
  type GasFees,
  highestPrice,
  type SignedEvmTransaction,
  storedTransaction,
  writeUnsigned,
} from './transaction.ts';

export async function priceOf(
  sending: EvmSending,
  { asset, to, from }: Parameters<ChainSender['price']>[0],
): Promise<SendingPrice> {
  const recipient = (to === null ? null : normalizeEvmAddress(to)) ?? NOBODY;
  const sendable = sending.assets.of(asset);
  return sending.pool.use(async (node) => {
    const { market, blockGas } = await readMarket(node, sending.fees.floorPerGas);
    const wallet = from === undefined ? {} : { wallet: ownWallet(from) };
    const gas = await usualGas(node, sendable, { recipient, most: mostGas(blockGas), ...wallet });
    const fees: GasFees = { kind: 'legacy', gasPrice: presentPrice(market) };
    const sample = { asset: sendable, recipient, units: 10n ** 18n };
    const payload = writeUnsigned(paymentOf(sending, { ...sample, nonce: 1n }), { limit: gas.most, fees });
    const data = await dataFee(sending, node, payload);
    return {
      expectedUnits: gas.usual * presentPrice(market) + data.expected,
      maxUnits: gas.most * reservedPrice(market, sending.fees) + data.most,
    };
  });
}

export async function prepare(
  sending: EvmSending,
  order: SendingOrder,
  replaces: { raw: string } | null,
): Promise<UnsignedTransaction> {
  const replaced = replaces === null ? null : replacedBy(order, storedTransaction(replaces.raw));
  return preparedOn(sending, (node) => prepareOn(sending, node, order, replaced));
}

function refusal(chain: string, wallet: string, lacking: 'money' | 'ceiling' | 'patience'): SendingRefused {
  switch (lacking) {
    case 'money':
      return new SendingRefused(
        'money',
        `${wallet} has too little of the native coin for the amount and the fee`,
      );
    case 'ceiling':
      return new SendingRefused('fees', `${chain}: the fee would be above the configured ceiling`);
    case 'patience':
      return new SendingRefused(
        'enough',
        `${chain}: the waiting transaction already offers twice the present price`,
      );
  }
}

interface ReplacedFees {
  readonly fees: GasFees;
  readonly voids: boolean;
}

function replacedBy(order: SendingOrder, replaced: SignedEvmTransaction): ReplacedFees {
  if (replaced.nonce !== order.nonce || replaced.from !== ownWallet(order.wallet))
    throw new Error(`${replaced.txid} has another nonce or wallet than its replacement`);
  const voids = replaced.units === 0n && replaced.recipient === replaced.from;
  return { fees: replaced.fees, voids };
}

async function prepareOn(
  sending: EvmSending,
  node: RpcNode,
  order: SendingOrder,
  replaced: ReplacedFees | null,
): Promise<UnsignedTransaction> {
  const wallet = ownWallet(order.wallet);
  const { to, units, extraGas = null } = onlyPayment(order);
  const payment = order.voids
    ? paymentOf(sending, { asset: { kind: 'native' }, recipient: wallet, units: 0n, nonce: order.nonce })
    : paymentOf(sending, {
        asset: await fitAsset(sending, order.asset, node),
        recipient: recipientOf(to),
        units,
        nonce: order.nonce,
      });
  const [held, { market, blockGas }] = await Promise.all([
    heldBalance(node, wallet, payment),
    readMarket(node, sending.fees.floorPerGas),
  ]);
  const nativeBalance = spendableUnits(held, order.own);
  const gasLimit = order.voids
    ? await voidingGas(node, wallet)
    : await triedGas(sending, node, {
        ...{ wallet, payment, most: mostGas(blockGas), perGas: presentPrice(market), nativeBalance },
        extraGas,
      });

  const sample = writeUnsigned(payment, {
    limit: gasLimit,
    fees: { kind: 'legacy', gasPrice: presentPrice(market) },
  });
  const data = await dataFee(sending, node, sample);
  const forGas = nativeBalance - (payment.asset.kind === 'native' ? payment.units : 0n) - data.most;
  const chosen = chooseFees({
    market,
    replaced: replaced?.fees ?? null,
    slow: replaced?.voids === order.voids,
    ceilingPerGas: sending.fees.ceilingPerGas,
    affordablePerGas: forGas < 0n ? -1n : forGas / gasLimit,
  });
  if ('lacking' in chosen) throw refusal(sending.chain, wallet, chosen.lacking);
  return {
    payload: writeUnsigned(payment, { limit: gasLimit, fees: chosen.fees }),
    maxFeeUnits: gasLimit * highestPrice(chosen.fees) + data.most,
    validUntil: null,
  };
}

async function fitAsset({ assets }: EvmSending, asset: string, node: RpcNode): Promise<SendableAsset> {
  try {
    return await assets.checked(asset, node);
  } catch (error) {
    throw error instanceof AssetUnfit ? new SendingRefused('unclear', error.message) : error;
  }
}

function paymentOf({ chainId }: EvmSending, payment: Omit<EvmPayment, 'chainId'>): EvmPayment {
  return { chainId: BigInt(chainId), ...payment };
}

function recipientOf(to: string): string {
  const recipient = normalizeEvmAddress(to);
  if (recipient === null) throw new SendingRefused('undone', `${to} is not an EVM address`);
  return recipient;
}

/**
 * The wallet's balance of the native coin. Refuses when the balance of the asset itself is too
 * small.
 */
async function heldBalance(node: RpcNode, wallet: string, { asset, units }: EvmPayment): Promise<bigint> {
  const [nativeAnswer, tokenAnswer] = await Promise.all([
    node.call('eth_getBalance', wallet, 'latest'),
    asset.kind === 'token'
      ? node.call('eth_call', { to: asset.contract, data: balanceCall(wallet) }, 'latest')
      : null,
  ]);
  const native = quantity(nativeAnswer, 'balance');
  const held = asset.kind === 'token' ? BigInt(hexBytes(tokenAnswer, 'token balance', 32)) : native;
  if (held < units)
    throw new SendingRefused('money', `${wallet} has ${held} base units and must send ${units}`);
  return native;
}
