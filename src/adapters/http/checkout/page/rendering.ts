/** The renderer of pages, loaded with the first page: most processes show none soon, or ever. */

export { linkPage } from '../links/link-page.ts';
export { Translator } from '../messages/translator.ts';
export { receiptOf } from '../receipt/receipt.ts';
export { receiptPage } from '../receipt/receipt-page.ts';
export { refundPage, refundStage } from '../refunds/refund-page.ts';
export { invoicePage } from './page.ts';
export { messagePage } from './page-document.ts';
