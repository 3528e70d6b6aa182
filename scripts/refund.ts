/** `bun run refund`: gives the money of a paid invoice back to the customer. */
import { refundInvoice } from '../src/app/refund-invoice.ts';
import { orRefuse } from './support/failures.ts';
import { payoutJson, payoutLine } from './support/payouts.ts';
import { runProgram } from './support/program.ts';
import { address, id, positiveAmount } from './support/values.ts';

const about =
  "Refunds a paid invoice, once: what the merchant was credited for it is sent back, from the merchant's balance. No webhook is sent. If the refund fails on the chain the balance comes back, and the invoice can be refunded again.";

await runProgram({
  name: 'refund',
  about,
  commands: [
    {
      name: null,
      about,
      positionals: ['invoice_id'],
      options: {
        to: {
          value: 'ADDRESS',
          help: 'where to; by default where the payment came from. Exchanges often pay from addresses that nobody watches: ask the customer',
        },
        amount: { value: 'AMOUNT', help: 'a part, in the asset of the invoice' },
      },
      examples: [
        '65f0c1d2e3a4b5c6d7e8f901',
        '65f0c1d2e3a4b5c6d7e8f901 --to 0x52908400098527886E0F7030069857D2E4169EE7 --amount 12.5',
      ],
      read(args) {
        const invoiceId = args.readPositional('invoice_id', id);
        const input = { to: args.read('to', address), amount: args.read('amount', positiveAmount) };
        return async ({ service }) => {
          await service.refreshRates();
          const { dependencies } = service;
          const { invoice, refund } = orRefuse(await refundInvoice(dependencies)(invoiceId, input));
          return {
            json: {
              invoice_id: invoice.id,
              merchant_id: invoice.merchantId,
              sandbox: invoice.sandbox,
              status: invoice.status,
              refund: payoutJson(refund, dependencies.catalog),
            },
            text: `invoice ${invoice.id} is ${invoice.status}; ${payoutLine(refund, dependencies.catalog)}`,
          };
        };
      },
    },
  ],
});
