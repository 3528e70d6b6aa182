/**
 * Every page of the console, with the filters and searches that people give, for a merchant of
 * million-invoices.ts with its history (million-history.ts).
 */
import { consoleStage } from '../../tests/support/console/console-stage.ts';
import { HISTORY_IDS, ONES } from './million-history.ts';

export type ConsoleArea = 'open' | 'account' | 'merchant' | 'shop' | 'operator';

export interface ConsolePage {
  readonly area: ConsoleArea;
  /** As the table of routes has it, below `/console`. */
  readonly route: string;
  /** What stands for its parameters, and a query. */
  readonly path: string;
  /** Answers with a file: timed until it begins. */
  readonly isDownload: boolean;
  readonly statuses: readonly number[];
}

const NUMBER = 711;
const DAY_MS = 86_400_000;
const day = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
const id = (table: string, number: number) => table + number.toString(16).padStart(24 - table.length, '0');
const INVOICE = id('0', NUMBER);
const PAYOUT = id(HISTORY_IDS.payout, NUMBER);
const md5 = (text: string) => new Bun.CryptoHasher('md5').update(text).digest('hex');
const ADDRESS = `0x${(md5(String(NUMBER)) + md5(`a${NUMBER}`)).slice(0, 40)}`;
const MONTH = day(45).slice(0, 7);
const THIS_MONTH = day(0).slice(0, 7);
/** By order, id, transaction, address, amount, e-mail, and what is not there. */
/** Of many payments, and of one merchant. */
const SENDER = `0x${'5e'.repeat(20)}`;
const SEARCHES = [
  ...[`order-${NUMBER}`, INVOICE, `simulated-${md5(String(NUMBER))}`, ADDRESS, '12.625 btc', '37.31'],
  ...[SENDER, '12.625 ltc'],
  ...['payer@example.com', `withdrawal-${NUMBER}`, md5(`t${NUMBER}`), 'nothing has this'],
].map((text) => `q=${encodeURIComponent(text)}`);
const RANGE = `from=${day(60)}&to=${day(30)}`;

/** What is no page: it leads on, or is a stream, or is not there. */
const UNOPENED = new Set(['', '/live', '/*']);
/** What hangs on a chain's nodes: opened at a process with fake chains. */
const OF_CHAINS = new Set(['/o/wallets', '/o/wallets/:chain']);

const ATTENTION = ['partial', 'over', 'late', 'high_risk', 'failed_payout', 'webhook_given_up'].map(
  (code) => `code=${code}`,
);
const OF_MERCHANT: Readonly<Record<string, readonly string[]>> = {
  '': ['', 'days=7', 'days=365'],
  '/search': ['', ...SEARCHES],
  '/attention': ['', 'page=200', ...ATTENTION],
  '/payments': [
    ...['', 'page=5000', 'page=20000', 'status=success', 'status=created', 'status=success&page=5000'],
    ...['asset=btc_bitcoin', 'status=success&asset=btc_bitcoin', RANGE, `status=success&${RANGE}`],
    ...[`status=success&asset=btc_bitcoin&${RANGE}`, `status=success&asset=btc_bitcoin&from=${day(300)}`],
    ...[`extra=order-${NUMBER}`, `status=created&from=${day(300)}&page=500`, 'status=cancelled'],
    ...[`asset=btc_bitcoin&from=${day(340)}&page=1000`, `extra=order-${NUMBER}&status=success`],
  ],
  [`/payments/${INVOICE}`]: [''],
  '/create': [''],
  '/links': [''],
  '/links/new': [''],
  [`/links/${ONES.link}`]: [''],
  [`/refunds/${ONES.claim}`]: [''],
  [`/approvals/${ONES.approval}`]: [''],
  '/balance': ['', 'page=5000', 'type=income', 'type=payout&page=1000', `type=income&${RANGE}`, RANGE],
  '/statements': [''],
  [`/statements/${MONTH}`]: [''],
  [`/statements/${MONTH}/csv`]: [''],
  [`/statements/${MONTH}/pdf`]: [''],
  '/payouts': ['', 'page=1500', 'asset=usdt_tron', `ref=withdrawal-${NUMBER}`, 'asset=btc_bitcoin'],
  '/payouts/new': [''],
  '/payouts/upload': [''],
  [`/payouts/${PAYOUT}`]: [''],
  '/addresses': ['', 'user_id=user-42', 'family=evm'],
  '/approvals': [''],
  '/settings': [''],
  '/settings/brand': [''],
  '/people': [''],
};
const OF_OPERATOR: Readonly<Record<string, readonly string[]>> = {
  '': [''],
  '/queue': [''],
  '/credits': [''],
  '/approvals': ['', 'status=waiting'],
  [`/approvals/${ONES.ofOperators}`]: [''],
  '/signing': [''],
  '/merchants': ['', 'q=other+42', 'q=nobody'],
  '/merchants/:merchant': [''],
  '/merchants/:merchant/people': [''],
  '/merchants/:merchant/brand': [''],
  '/audit': [
    ...['', 'action=payout.released', 'action=payout', 'subject=payout', 'merchant=:merchant', 'actor=bench'],
    ...['action=merchant.created', 'actor=nobody', `id=${PAYOUT}`, RANGE],
    ...[`actor=nobody&${RANGE}`, 'subject=chain'],
  ],
  '/audit.jsonl': [''],
  '/search': ['', ...SEARCHES, 'q=:merchant', 'q=Bench'],
  [`/payments/${INVOICE}`]: [''],
  '/payouts': ['', 'merchant=:merchant'],
  [`/payouts/${PAYOUT}`]: [''],
  '/people': [''],
};

export interface PagesOf {
  /** With the million invoices. */
  readonly merchantId: string;
  /** With some payments in this month. */
  readonly shopId: string;
  /** The token of an invitation. */
  readonly invitation: string;
}

/** Throws where a route of the console has no page here. */
export function consolePages({ merchantId, shopId, invitation }: PagesOf): readonly ConsolePage[] {
  const table = consoleStage().table.filter(({ method }) => method === 'GET');
  const pages = [
    ...made('open', '', { '/sign-in': [''], '/register': [''], [`/i/${invitation}`]: [''] }),
    ...made('account', '', {
      ...{ '/account': [''], '/account/codes': [''], '/second-factor': [''] },
      [`/i/${invitation}/join`]: [''],
    }),
    ...made('merchant', `/m/${merchantId}/sandbox`, OF_MERCHANT),
    ...made('shop', `/m/${shopId}/sandbox`, { [`/statements/${THIS_MONTH}/pdf`]: [''] }),
    ...made('operator', '/o', OF_OPERATOR),
  ].map((page) => ({ ...page, path: page.path.replaceAll(':merchant', merchantId) }));
  const found = pages.map((page) => ({ ...page, route: routeOf(table, page.path) }));
  const left = table.filter(
    ({ path }) => !UNOPENED.has(path) && !OF_CHAINS.has(path) && !found.some(({ route }) => route === path),
  );
  if (left.length > 0) throw new Error(`pages that nobody opens: ${left.map(({ path }) => path).join(' ')}`);
  return found;
}

/** Of a process that follows chains. */
export function chainPages(): readonly ConsolePage[] {
  return made('operator', '/o', { '/wallets': [''], '/wallets/ethereum': [''] }).map((page) => ({
    ...page,
    route: page.path.replace('ethereum', ':chain'),
  }));
}

function made(area: ConsoleArea, base: string, of: Readonly<Record<string, readonly string[]>>) {
  return Object.entries(of).flatMap(([path, queries]) =>
    queries.map((query) => ({
      ...{ area, path: `${base}${path}${query === '' ? '' : `?${query}`}` },
      isDownload: /\/(?:csv|pdf|audit\.jsonl)$/.test(path),
      // The PDF of so many lines is refused; a quick run has none in that month.
      statuses: path.endsWith('/pdf') && area === 'merchant' ? [422, 200] : [200],
    })),
  );
}

function routeOf(table: readonly { readonly path: string }[], path: string): string {
  const bare = path.replace(/\?.*/, '').split('/');
  const fits = (route: string) => {
    const parts = route.split('/');
    return (
      parts.length === bare.length && parts.every((part, at) => part.startsWith(':') || part === bare[at])
    );
  };
  const [route] = table
    .map((one) => one.path)
    .filter(fits)
    .toSorted((a, b) => a.split(':').length - b.split(':').length);
  if (route === undefined) throw new Error(`no route: ${path}`);
  return route;
}
