/**
 * The extra cost of payments to certain recipients, asked of the nodes on demand, within a budget
 * per merchant (safety.md G1).
 */
import { boundedMap } from '../../domain/bounded-map.ts';
import type { AskedPayment } from '../../ports/rates/fee-quoter.ts';
import type { Clock } from '../../ports/runtime/clock.ts';
import type { ChainSender } from '../../ports/sending/chain-sender.ts';
import type { RecipientPrice } from '../../ports/sending/recipient-pricing.ts';
import { trialBudget } from './trial-budget.ts';

/**
 * Recipients without extra cost are not asked for again within this time. One that got code
 * meanwhile is detected before signing.
 */
const PLAIN_MS = 300_000;
const PLAIN_MAX = 50_000;

export interface RecipientPrices {
  /** By payment; lacks payments that need no node, and those without an answer. */
  told(
    payments: readonly AskedPayment[],
    merchantId: string,
  ): Promise<ReadonlyMap<AskedPayment, RecipientPrice>>;
}

export function recipientPrices(
  clock: Clock,
  {
    senders,
    hotWalletOf,
  }: { senders: readonly ChainSender[]; hotWalletOf: (chain: string) => string | null },
): RecipientPrices {
  const plainUntil = boundedMap<string, number>(PLAIN_MAX);
  const budget = trialBudget(clock);
  const now = (): number => clock.now().getTime();

  async function told(
    payments: readonly AskedPayment[],
    merchantId: string,
  ): Promise<ReadonlyMap<AskedPayment, RecipientPrice>> {
    const found = new Map<AskedPayment, RecipientPrice>();
    const askWhere = async (sender: ChainSender): Promise<void> => {
      const wallet = hotWalletOf(sender.chain);
      const unknown = payments.filter(
        (payment) =>
          payment.asset.chain === sender.chain &&
          sender.recipients?.concern(payment.asset.key) === true &&
          (plainUntil.get(plainKey(payment)) ?? 0) <= now(),
      );
      if (sender.recipients === undefined || wallet === null || unknown.length === 0) return;
      const asked = unknown.slice(0, budget.take(merchantId, unknown.length));
      if (asked.length === 0) return;
      const orders = asked.map(({ asset, to, units }) => ({ asset: asset.key, to, units }));
      const prices = await sender.recipients.price(wallet, orders);
      budget.tried(merchantId, prices);
      for (const [position, price] of prices.entries()) {
        const payment = asked[position];
        if (price === null || payment === undefined) continue;
        found.set(payment, price);
        if (price.extraGas === 0n && price.extraUnits === 0n)
          plainUntil.set(plainKey(payment), now() + PLAIN_MS);
      }
    };
    await Promise.all(senders.map(askWhere));
    return found;
  }

  return { told };
}

const plainKey = ({ asset, to }: AskedPayment): string => `${asset.key} ${to}`;
