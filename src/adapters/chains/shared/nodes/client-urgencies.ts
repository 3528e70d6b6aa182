/**
 * Sets the urgency of the calls of scanner and sender at their shared nodes, and begins the rounds
 * of the sender. Calls that are not listed here are head calls, unless they are made for payouts.
 */
import type { ChainScanner } from '../../../../ports/chains/chain-scanner.ts';
import type { ChainSender } from '../../../../ports/sending/chain-sender.ts';
import { type Haste, hasteNow, inHaste, type Urgency } from './urgency.ts';

const at =
  <Given extends readonly unknown[], Told>(
    urgency: Urgency,
    ask: (...given: Given) => Promise<Told>,
    haste: Partial<Haste> = {},
  ) =>
  (...given: Given): Promise<Told> =>
    inHaste({ urgency, ...haste }, () => ask(...given));

export function scannerInTurn(scanner: ChainScanner): ChainScanner {
  return { ...scanner, blocks: at('blocks', scanner.blocks) };
}

export function senderInTurn(sender: ChainSender): ChainSender {
  return {
    ...sender,
    prepare: at('payout', sender.prepare),
    // One node that accepts the bytes is enough. What it says of a refusal is of this moment.
    broadcast: at('payout', sender.broadcast, { hasChoice: true, round: null }),
    outcome: at('payout', sender.outcome),
    nextNonce: at('payout', sender.nextNonce),
    ...(sender.reportedNonces === undefined ? {} : { reportedNonces: at('payout', sender.reportedNonces) }),
    balances: (...given) =>
      inHaste({ urgency: hasteNow().urgency === 'payout' ? 'payout' : 'audit' }, () =>
        sender.balances(...given),
      ),
    forPayouts: (work) => inHaste({ urgency: 'payout' }, work),
    inRound: (batches, work) => inHaste({ round: { batches } }, work),
    ...(sender.balancesOf === undefined ? {} : { balancesOf: at('audit', sender.balancesOf) }),
  };
}
