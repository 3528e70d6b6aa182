/** What makes pages; loaded when the first one is asked for, since most starts show none soon or ever. */

export { Translator } from '../messages/i18n.ts';
export { invoicePage } from './page.ts';
export { messagePage } from './page-document.ts';
