/**
 * Money in the account of a hot wallet that pools deposits (XRP), without a tag of ours: listed,
 * adopted, assigned.
 */

import type { TreasuryChain } from '../../src/app/sweeps/sweep-needs.ts';
import { assignFunding } from '../../src/app/treasury/assign-funding.ts';
import { bookAsOwnerFunding, type ParkedUtxo } from '../../src/app/treasury/pooled-funding.ts';
import { treasuryChains } from '../../src/compose/treasury.ts';
import { formatUnits } from '../../src/domain/money/decimal.ts';
import type { UnbookedFunding } from '../../src/ports/treasury/treasury-queries.ts';
import { orRefuse, Refused } from './failures.ts';
import type { Command, CommandContext, CommandReport } from './program.ts';
import { table } from './table.ts';
import { address as anAddress, reason, txid } from './values.ts';

const LISTED_MAX = 1_000;

export const adopt: Command = {
  name: 'adopt',
  about:
    'Books XRP that came to the hot wallet without a tag of ours as owner funding (capital). Customers pay into the same account, so the payment waits for your decision. bun run strays list shows it.',
  audits: ['capital.adopted'],
  positionals: ['txid'],
  options: { note: { value: 'TEXT', help: 'what it was, kept with the booking' } },
  examples: [`${'6B34C05B'.repeat(8)} --note "the account's reserve"`],
  read(args) {
    const of = args.readPositional('txid', txid);
    const note = args.read('note', reason) ?? '';
    return async (context) => {
      const on = pooledChain(context);
      const id = `${on.chain}:${on.sender.nativeAsset}`;
      const adopted = orRefuse(
        await context.act({ action: 'capital.adopted', subject: 'capital', id, note: of }, (deps) =>
          bookAsOwnerFunding(deps, on)({ txid: of, note }),
        ),
      );
      return told(context, on, { txid: of, parked: adopted, what: 'booked as capital' });
    };
  },
};

export const assign: Command = {
  name: 'assign',
  about:
    'Gives an XRP payment with a forgotten or mistyped tag to the address that it was meant for. If the invoice of that address took payments at the time, it is paid. Otherwise the payment becomes an unmatched deposit of the merchant, which you can credit.',
  audits: ['deposit.assigned'],
  positionals: ['txid'],
  options: {
    address: {
      value: 'ADDRESS',
      required: true,
      help: 'an address that was given out: X-address or ACCOUNT:TAG',
    },
  },
  examples: [`${'6B34C05B'.repeat(8)} --address rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf:2718281829`],
  read(args) {
    const of = args.readPositional('txid', txid);
    const address = args.readNeeded('address', anAddress);
    return async (context) => {
      const on = pooledChain(context);
      await context.service.refreshRates();
      const id = `${on.chain}:${of}`;
      const assigned = orRefuse(
        await context.act({ action: 'deposit.assigned', subject: 'deposit', id, note: address }, (deps) =>
          assignFunding(deps, on)({ txid: of, address }),
        ),
      );
      return told(context, on, { txid: of, parked: assigned, what: `assigned to ${address}` });
    };
  },
};

function pooledChain({ service }: CommandContext): TreasuryChain {
  const chains = [...treasuryChains(service.chains, service.dependencies).values()];
  const pooled = chains.find(({ sender }) => sender.capabilities.pooled);
  if (pooled) return pooled;
  throw new Refused({
    code: 'NOT_FOUND',
    message: 'no chain is configured here whose deposits lie in the hot wallet',
  });
}

function told(
  { service }: CommandContext,
  { chain, sender }: TreasuryChain,
  done: { txid: string; parked: readonly ParkedUtxo[]; what: string },
): CommandReport {
  const asset = sender.nativeAsset;
  const units = done.parked.reduce((sum, part) => sum + part.units, 0n);
  const amount = formatUnits(units, service.dependencies.catalog.require(asset).decimals);
  return {
    json: { chain, txid: done.txid, asset, amount },
    text: `${amount} ${asset} of ${done.txid}: ${done.what}`,
  };
}

/** Empty where no such chain is configured. */
export async function parkedList({ service }: CommandContext): Promise<CommandReport> {
  const { treasuryQueries, catalog } = service.dependencies;
  const chains = [...treasuryChains(service.chains, service.dependencies).values()].filter(
    ({ sender }) => sender.capabilities.pooled,
  );
  const names = chains.map(({ chain }) => chain);
  const parked = names.length === 0 ? [] : await treasuryQueries.unbookedFunding(names, LISTED_MAX);
  const assetOf = (chain: string): string =>
    chains.find((each) => each.chain === chain)?.sender.nativeAsset ?? '';
  const amountOf = ({ chain, units }: UnbookedFunding): string =>
    formatUnits(units, catalog.require(assetOf(chain)).decimals);
  return {
    json: parked.map((row) => ({
      ...{ chain: row.chain, asset: assetOf(row.chain), amount: amountOf(row) },
      ...{ address: row.address, txid: row.txid, height: row.height },
    })),
    text:
      parked.length === 0
        ? ''
        : `Without a tag of ours (bun run strays assign, bun run treasury adopt):\n${table(
            [
              { title: 'CHAIN', cell: (row) => row.chain },
              { title: 'AMOUNT', align: 'right', cell: amountOf },
              { title: 'ASSET', cell: (row) => assetOf(row.chain) },
              { title: 'BLOCK', cell: (row) => (row.height === null ? '' : String(row.height)) },
              { title: 'TXID', cell: (row) => row.txid },
            ],
            parked,
            { empty: '' },
          )}`,
  };
}
