/** What makes pages; loaded when the first one is asked for, since most starts show none soon or ever. */
export { invoicePage } from './page.ts';
export { messagePage } from './page-document.ts';
export { Tongue } from './tongue.ts';
