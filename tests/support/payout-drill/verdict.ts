/**
 * What a drill's report says against it: payments and books that are wrong, and whether it was the
 * drill that was ordered.
 */
import type { PayoutDrillOrder, PayoutDrillReport } from './drill.ts';
import { stepsOf } from './steps.ts';

/**
 * Empty when every payout was paid exactly once, the books are right, and each step was hit by one
 * of the kills that were ordered.
 */
export function faultsOf(
  order: Pick<PayoutDrillOrder, 'kills' | 'moments'>,
  {
    payments,
    books,
    kills,
    killsByStep,
  }: Pick<PayoutDrillReport, 'payments' | 'books' | 'kills' | 'killsByStep'>,
): string[] {
  const faults = [...payments, ...books];
  if (kills < order.kills) faults.push(`${kills} kills were made of ${order.kills}`);
  for (const step of stepsOf(order))
    if ((killsByStep[step] ?? 0) === 0) faults.push(`no kill fell on the step "${step}"`);
  return faults;
}
