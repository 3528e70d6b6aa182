/** `bun run refund`: gives the money of a paid invoice back to the customer. */
import { userInfo } from 'node:os';
import { idIn } from '../src/app/audit/audited.ts';
import { refundInvoice } from '../src/app/payouts/refunds/refund-invoice.ts';
import type { RefundOffer } from '../src/app/payouts/refunds/refund-order.ts';
import { FIAT_DECIMALS } from '../src/domain/catalog/fiat.ts';
import { formatUnits } from '../src/domain/money/decimal.ts';
import type { Arguments } from './support/arguments.ts';
import { orRefuse, UsageError } from './support/failures.ts';
import { payoutJson, payoutLine, payoutSum } from './support/payouts.ts';
import { type Program, runProgram } from './support/program.ts';
import { OFFER_OPTIONS, offered, readOffer } from './support/refund-claims.ts';
import { address, id, operatorName, positiveAmount } from './support/values.ts';

const about =
  "Refunds a paid invoice once. It sends back what the merchant was credited, from the merchant's balance. The balance must not become negative, except with --force. No webhook is sent. If the refund fails on the chain, the amount returns to the balance, and the invoice can be refunded again.";

function claimOf(
  args: Arguments,
  invoiceId: string,
  { onlySurplus, ...offer }: ReturnType<typeof readOffer> & { readonly onlySurplus: boolean },
): RefundOffer {
  for (const option of ['to', 'force', 'dry-run'] as const)
    if (args.isSet(option) || args.text(option) !== null)
      throw new UsageError(`--${option} cannot be combined with --claim`);
  return {
    ...offer,
    of: { subject: onlySurplus ? 'surplus' : 'invoice', invoiceId },
    amount: args.read('amount', positiveAmount),
    by: { operator: args.read('by', operatorName) ?? userInfo().username },
  };
}

export const program: Program = {
  name: 'refund',
  about,
  commands: [
    {
      name: null,
      about,
      audits: ['refund.ordered', 'refund.offered'],
      positionals: ['invoice_id'],
      options: {
        to: {
          value: 'ADDRESS',
          help: 'where to (default: where the payment came from). Exchanges often pay from addresses that accept no refund: ask the customer',
        },
        amount: { value: 'AMOUNT', help: 'a part, in the asset of the invoice' },
        by: {
          value: 'NAME',
          help: "who orders it; shown in the merchant's ledger (default: the user of this system)",
        },
        force: { help: "even if the merchant's balance becomes negative" },
        'dry-run': { help: 'only shows what it would do' },
        claim: {
          help: 'pays nothing yet: prints a link where the customer enters an address. Limits and the balance count when that is done',
        },
        surplus: { help: 'with --claim, only what was paid too much. The invoice keeps its status' },
        ...OFFER_OPTIONS,
      },
      examples: [
        '65f0c1d2e3a4b5c6d7e8f901',
        '65f0c1d2e3a4b5c6d7e8f901 --to 0x52908400098527886E0F7030069857D2E4169EE7 --amount 12.5 --by ann',
        '65f0c1d2e3a4b5c6d7e8f901 --dry-run',
        '65f0c1d2e3a4b5c6d7e8f901 --claim --surplus --by ann',
      ],
      read(args) {
        const invoiceId = args.readPositional('invoice_id', id);
        const dryRun = args.isSet('dry-run');
        const [claims, onlySurplus, offer] = [args.isSet('claim'), args.isSet('surplus'), readOffer(args)];
        if (claims) {
          const wanted = claimOf(args, invoiceId, { ...offer, onlySurplus });
          return (context) => offered(context, wanted);
        }
        if (onlySurplus || offer.onCheckout) throw new UsageError('--surplus and --on-checkout need --claim');
        const order = {
          to: args.read('to', address),
          amount: args.read('amount', positiveAmount),
          by: args.read('by', operatorName) ?? userInfo().username,
          force: args.isSet('force'),
          dryRun,
        };
        return async ({ act, trial, service }) => {
          await service.refreshRates();
          const { dependencies } = service;
          const work = (deps: typeof dependencies) => refundInvoice(deps)(invoiceId, order);
          const action = { action: 'refund.ordered', subject: 'refund', note: `by ${order.by}` } as const;
          const { invoice, refund, ...available } = orRefuse(
            await (dryRun ? trial(work) : act(action, work, { subjectOf: idIn('refund') })),
          );
          const before = formatUnits(available.availableBeforeMicroUsd, FIAT_DECIMALS);
          const after = formatUnits(available.availableAfterMicroUsd, FIAT_DECIMALS);
          const balance = `the merchant's balance: ${before} USD before, ${after} USD after`;
          return {
            json: {
              dry_run: dryRun,
              invoice_id: invoice.id,
              merchant_id: invoice.merchantId,
              sandbox: invoice.sandbox,
              status: invoice.status,
              balance_before_usd: before,
              balance_after_usd: after,
              refund: payoutJson(refund, dependencies.catalog),
            },
            text: dryRun
              ? `nothing was done; it would send ${payoutSum(refund, dependencies.catalog)}\n${balance}`
              : `invoice ${invoice.id} is ${invoice.status}; ${payoutLine(refund, dependencies.catalog)}\n${balance}`,
          };
        };
      },
    },
  ],
};

if (import.meta.main) await runProgram(program);
