/**
 * What payments of the native coin to certain recipients cost. A contract runs its own code when it
 * is paid, and so does an account that delegates to one (EIP-7702). Each payment is tried as it
 * would be sent, by the hot wallet and at the gas price that will be paid, since a contract can
 * recognise a trial by a price of zero (safety.md G1, G2).
 */

import { larger } from '../../../../domain/money/larger.ts';
import type { Payment } from '../../../../ports/sending/payment.ts';
import type { RecipientPrice, RecipientPricing } from '../../../../ports/sending/recipient-pricing.ts';
import type { RpcNode } from '../../shared/nodes/rpc-node.ts';
import { pricesInTime } from '../../shared/send/recipient-prices.ts';
import { normalizeEvmAddress } from '../address.ts';
import { quantity } from '../decode.ts';
import { presentPrice, readMarket } from './fees.ts';
import { estimateCall, isRevert, needsMoreGas, TRIAL_GAS, voidingGas, withMargin } from './gas.ts';
import { type EvmSending, ownWallet } from './sending.ts';

type RecipientPrices = readonly (RecipientPrice | null)[];

/** The cost of a token payment depends on its contract, which the operator chose. */
export function recipientPricing(sending: EvmSending): RecipientPricing {
  return {
    concern: (asset) => sending.assets.of(asset).kind === 'native',
    price: (from, payments) =>
      pricesInTime(sending, payments.length, (node) =>
        pricesAt(sending, node, { wallet: ownWallet(from), payments }),
      ),
    async runCode(payments) {
      const asked = payments.filter(({ asset }) => sending.assets.of(asset).kind === 'native');
      if (asked.length === 0) return payments.map(() => false);
      const codes = await sending.pool.use((node) =>
        node.batch(asked.map(({ to }) => ({ method: 'eth_getCode', params: [addressOf(to), 'latest'] }))),
      );
      const running = new Set(asked.filter((_, place) => codes[place] !== '0x'));
      return payments.map((payment) => running.has(payment));
    },
  };
}

async function pricesAt(
  { fees }: EvmSending,
  node: RpcNode,
  { wallet, payments }: { wallet: string; payments: readonly Payment[] },
): Promise<RecipientPrices> {
  const [{ market }, ordinary, balance] = await Promise.all([
    readMarket(node, fees.floorPerGas),
    voidingGas(node, wallet),
    node.call('eth_getBalance', wallet, 'latest'),
  ]);
  const perGas = presentPrice(market);
  const cap = ordinary + TRIAL_GAS;
  const left = quantity(balance, 'balance') - cap * perGas;
  const costing = (extraGas: bigint | null): RecipientPrice => ({
    extraGas,
    extraUnits: (extraGas ?? TRIAL_GAS) * perGas,
    ordinaryUnits: ordinary * perGas,
  });
  const trials = await node.outcomes(
    payments.map((payment) => estimateCall(trialOf(payment, { wallet, perGas, left }), cap)),
  );
  return trials.map((trial) => {
    if ('result' in trial) {
      const gas = quantity(trial.result, 'gas estimate');
      return costing(gas > cap ? null : larger(withMargin(gas) - ordinary, 0n));
    }
    if (needsMoreGas(trial.error)) return costing(null);
    // A payment that would revert is given up before it is signed, and costs nothing.
    return isRevert(trial.error) ? costing(0n) : null;
  });
}

/**
 * A wallet with too little money at present tries it without a price, and with the least amount.
 */
function trialOf(
  { to, units }: Payment,
  { wallet, perGas, left }: { wallet: string; perGas: bigint; left: bigint },
): Readonly<Record<string, string>> {
  const call = { from: wallet, to: addressOf(to) };
  return units <= left
    ? { ...call, value: `0x${units.toString(16)}`, gasPrice: `0x${perGas.toString(16)}` }
    : { ...call, value: '0x1' };
}

const addressOf = (to: string): string => normalizeEvmAddress(to) ?? to;
