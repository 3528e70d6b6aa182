/** The contracts of invoices, their addresses, links, mails and the checkout, in memory. */
import { describeCheckoutQueries } from '../../../contracts/checkout/checkout-queries.ts';
import { describeAddressPool } from '../../../contracts/invoices/address-pool.ts';
import { describeAddressRepository } from '../../../contracts/invoices/address-repository.ts';
import { describeChosenInvoices } from '../../../contracts/invoices/chosen-invoices.ts';
import { describeInvoiceExpiry } from '../../../contracts/invoices/invoice-expiry.ts';
import { describeInvoiceRepository } from '../../../contracts/invoices/invoice-repository.ts';
import { describeInvoiceRetention } from '../../../contracts/invoices/invoice-retention.ts';
import { describeInvoiceWriter } from '../../../contracts/invoices/invoice-writer.ts';
import { describePaymentLinks } from '../../../contracts/links/payment-links.ts';
import { describeCustomerMails } from '../../../contracts/mails/customer-mails.ts';
import { memoryDatabase } from '../memory-database.ts';
import { memoryStore } from '../store/memory-store.ts';

async function open(options: { readonly sendsMails?: boolean } = {}) {
  const { ports, addressPool, close } = memoryDatabase(memoryStore(), options);
  const { unitOfWork, queries, consoleQueries, operatorQueries, invoiceWriter } = ports;
  return {
    ...{ unitOfWork, queries, consoleQueries, operatorQueries },
    ...({ intakes: [invoiceWriter, invoiceWriter], addressPool, close } as const),
  };
}

describeInvoiceRepository('memory', open);
describeInvoiceExpiry('memory', open);
describeChosenInvoices('memory', open);
describeAddressRepository('memory', open);
describeAddressPool('memory', open);
describeInvoiceRetention('memory', () => open({ sendsMails: true }));
describeInvoiceWriter('memory', open);
describeCheckoutQueries('memory', open);
describePaymentLinks('memory', open);
describeCustomerMails('memory', open);
