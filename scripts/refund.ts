/** `bun run refund`: marks a paid invoice refunded and posts it to the ledger. */
import { refundInvoice } from '../src/app/refund-invoice.ts';
import { orRefuse } from './support/failures.ts';
import { runProgram } from './support/program.ts';
import { id } from './support/values.ts';

const about =
  "Marks a paid invoice refunded: what it credited leaves the merchant's balance, once. No webhook is sent. Sending the money back to the customer is still done by hand.";

await runProgram({
  name: 'refund',
  about,
  commands: [
    {
      name: null,
      about,
      positionals: ['invoice_id'],
      options: {},
      examples: ['65f0c1d2e3a4b5c6d7e8f901'],
      read(args) {
        const invoiceId = args.readPositional('invoice_id', id);
        return async ({ service }) => {
          const invoice = orRefuse(await refundInvoice(service.dependencies)(invoiceId));
          return {
            json: {
              invoice_id: invoice.id,
              merchant_id: invoice.merchantId,
              sandbox: invoice.sandbox,
              status: invoice.status,
            },
            text: `invoice ${invoice.id} is ${invoice.status}`,
          };
        };
      },
    },
  ],
});
