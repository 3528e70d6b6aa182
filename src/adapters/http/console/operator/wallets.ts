/** Hot wallets: what each has, what waits for it, sweeps, and the operator's own money. */

import type { ChainTreasury } from '../../../../app/console/operator-desk.ts';
import type { AssetHoldings, TreasuryStatus } from '../../../../app/treasury/treasury.ts';
import { isGranted } from '../../../../domain/accounts/role.ts';
import { NOTE_LENGTH_MAX } from '../../../../domain/audit/audit-entry.ts';
import { CHAINS } from '../../../../domain/catalog/chain.ts';
import { validationError } from '../../../../domain/errors.ts';
import { formatUnits } from '../../../../domain/money/decimal.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { acted, ordered } from '../kit/acted.ts';
import { notFound } from '../kit/gate.ts';
import { badge, button, card, choice, copyable, facts, field, instant, table } from '../kit/parts.ts';
import { qrImage } from '../kit/qr-image.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import type { OperatorPages } from './operator-pages.ts';

/** Base units, below zero where money was taken out. */
const UNITS = /^-?\d{1,80}$/;

export function walletRoutes(of: OperatorPages): readonly ConsoleRoute[] {
  const { desk } = of;
  const chainOf = ({ params }: OperatorCall): string => params.chain ?? '';
  const back = (call: OperatorCall, code: Parameters<typeof acted>[2]['code']) => ({
    ...{ at: `/wallets/${chainOf(call)}`, code },
    refused: (problem: Problem) => chainPage(of, call, problem),
  });
  return [
    ofOperator('operator.read', 'GET', '/wallets', (call) => walletsPage(of, call)),
    ofOperator('operator.read', 'GET', '/wallets/:chain', (call) => chainPage(of, call)),
    ofOperator('treasury.manage', 'POST', '/wallets/:chain/sweep', (call) => {
      const asset = call.form.optional('asset');
      const wanted = { chain: chainOf(call), asset, address: call.form.optional('address') };
      return acted(call, desk.requestSweeps(call.seat, wanted), back(call, 'sweeps_planned'));
    }),
    ofOperator('treasury.manage', 'POST', '/wallets/:chain/give-up', (call) =>
      acted(call, desk.giveUpSweep(call.seat, call.form.text('id')), back(call, 'given_up')),
    ),
    ofOperator('treasury.manage', 'POST', '/wallets/:chain/unfreeze', (call) =>
      acted(
        call,
        desk.thawAddress(call.seat, { chain: chainOf(call), address: call.form.text('address') }),
        back(call, 'unfrozen'),
      ),
    ),
    ofOperator('treasury.manage', 'POST', '/wallets/:chain/book/preview', (call) => bookPreview(of, call)),
    ofOperator('treasury.manage', 'POST', '/wallets/:chain/book', (call) => {
      const { form } = call;
      const units = form.text('units');
      if (!UNITS.test(units))
        return chainPage(of, call, validationError([{ field: 'units', message: 'must be a number' }]));
      const booked = {
        ...{ chain: chainOf(call), asset: form.text('asset'), note: form.text('note') },
        units: BigInt(units),
      };
      return ordered(call, desk.bookCapital(call.seat, booked, form.text('form_id')), back(call, 'booked'));
    }),
  ];
}

async function walletsPage(
  { desk, catalog }: OperatorPages,
  { shell, base }: OperatorCall,
): Promise<Response> {
  const found = await desk.treasury(null);
  if (!found.ok) return shell.page({ title: 'Hot wallets', body: html`<p>${found.error.message}</p>` });
  const rows = found.value.flatMap(({ chain, status }) =>
    (status?.assets ?? []).map((holdings) => ({ chain, holdings })),
  );
  const away = found.value.filter(({ status }) => status === null);
  const body = html`${away.map(({ chain, unavailable }) => html`<p class="message warn">${chain}: no node answers: ${unavailable}</p>`)}
${card('Balances', balances(rows, catalog, base))}`;
  return shell.page({ title: 'Hot wallets', body });
}

interface Held {
  readonly chain: string;
  readonly holdings: AssetHoldings;
}

/** What has nothing, and waits for nothing, is folded away: there are many assets. */
function balances(rows: readonly Held[], catalog: OperatorPages['catalog'], base: string): Markup {
  const isIdle = ({ holdings: h }: Held): boolean =>
    h.waiting.count === 0 &&
    [h.hotWalletUnits, h.leavingUnits, h.lackingUnits].every((units) => units === 0n) &&
    h.atDepositAddresses.sweepableUnits + h.atDepositAddresses.undecidedUnits === 0n;
  const idle = rows.filter(isIdle);
  return html`${holdingsTable(
    rows.filter((row) => !isIdle(row)),
    catalog,
    base,
  )}${idle.length === 0 ? null : html`<details><summary>${String(idle.length)} assets with nothing</summary>${holdingsTable(idle, catalog, base, 'Assets with nothing')}</details>`}`;
}

function holdingsTable(
  rows: readonly Held[],
  catalog: OperatorPages['catalog'],
  base: string,
  caption = 'Balances',
): Markup {
  const of = (units: bigint, asset: string): string => formatUnits(units, catalog.require(asset).decimals);
  return table(
    rows,
    [
      { title: 'Chain', cell: ({ chain }) => html`<a href="${base}/wallets/${chain}">${chain}</a>` },
      { title: 'Asset', cell: ({ holdings }) => holdings.asset },
      { title: 'Hot wallet', align: 'end', cell: ({ holdings: h }) => of(h.hotWalletUnits, h.asset) },
      {
        title: 'To sweep',
        align: 'end',
        cell: ({ holdings: h }) => of(h.atDepositAddresses.sweepableUnits, h.asset),
      },
      {
        title: 'Undecided',
        align: 'end',
        cell: ({ holdings: h }) => of(h.atDepositAddresses.undecidedUnits, h.asset),
      },
      { title: 'Leaving', align: 'end', cell: ({ holdings: h }) => of(h.leavingUnits, h.asset) },
      { title: 'Payouts waiting', align: 'end', cell: ({ holdings: h }) => String(h.waiting.count) },
      {
        title: 'Lacks',
        align: 'end',
        cell: ({ holdings: h }) => (h.lackingUnits > 0n ? badge(of(h.lackingUnits, h.asset), 'bad') : ''),
      },
    ],
    { empty: 'No hot wallet has anything.', caption },
  );
}

async function chainPage(
  { desk, catalog }: OperatorPages,
  { shell, base, params, seat }: OperatorCall,
  problem: Problem | null = null,
): Promise<Response> {
  const chain = CHAINS.find(({ name }) => name === params.chain)?.name;
  if (chain === undefined) return notFound(shell);
  const found = await desk.treasury(chain);
  if (!found.ok) return shell.page({ title: chain, body: html`<p>${found.error.message}</p>`, status: 503 });
  const [seen] = found.value;
  if (seen === undefined) return notFound(shell);
  const title = `Hot wallet of ${chain}`;
  if (seen.status === null) return shell.page({ title, body: awayText(seen), status: 503 });
  const { status } = seen;
  const may = isGranted(seat.role, 'treasury.manage');
  const body = html`${await topUp(status)}
${card(
  'Balances',
  holdingsTable(
    status.assets.map((holdings) => ({ chain, holdings })),
    catalog,
    base,
  ),
)}
${card('Sweeps', sweeps({ status, shell, at: `${base}/wallets/${chain}`, may }))}
${status.forwards.length === 0 ? null : card('Forwards to the cold address', forwardTable(status, catalog))}
${status.frozen.length === 0 ? null : card('Frozen addresses', frozen({ status, shell, at: `${base}/wallets/${chain}`, may }))}
${may ? actions({ status, shell, at: `${base}/wallets/${chain}`, may }) : null}`;
  return shell.page({ title, body, problem, ...(problem === null ? {} : { status: 400 }) });
}

function awayText({ unavailable }: ChainTreasury): Markup {
  return html`<p class="message warn">No node answers: ${unavailable}</p>`;
}

interface OfChain {
  readonly status: TreasuryStatus;
  readonly shell: OperatorCall['shell'];
  readonly at: string;
  readonly may: boolean;
}

async function topUp({ hotWallet, height }: TreasuryStatus): Promise<Markup> {
  const image = await qrImage(hotWallet);
  return card(
    'Top up',
    html`<p>Send gas and liquidity here, and book what arrives.</p><p><img class="qr" alt="QR code of the hot wallet" src="${image}"></p>${facts(
      [
        ['Address', copyable(hotWallet)],
        ['Balances as of block', String(height)],
      ],
    )}`,
  );
}

function sweeps({ status, shell, at, may }: OfChain): Markup {
  return table(
    status.sweeps,
    [
      { title: 'Sweep', cell: ({ id }) => html`<code>${id}</code>` },
      { title: 'State', cell: ({ status: state }) => badge(state, state === 'failed' ? 'bad' : 'calm') },
      { title: 'Address', cell: ({ address }) => copyable(address) },
      { title: 'Asset', cell: ({ asset }) => asset },
      { title: 'Reason', cell: ({ reason }) => reason?.text ?? '' },
      { title: 'Since', cell: ({ createdAt }) => instant(createdAt) },
      {
        title: '',
        cell: ({ id }) =>
          may
            ? shell.form(
                `${at}/give-up`,
                html`<input type="hidden" name="id" value="${id}">${button('Give it up', 'danger', 'Give this sweep up?')}`,
                { class: 'inline' },
              )
            : null,
      },
    ],
    { empty: 'No sweeps are open.', caption: 'Sweeps' },
  );
}

function forwardTable({ forwards }: TreasuryStatus, catalog: OperatorPages['catalog']): Markup {
  return table(
    forwards,
    [
      { title: 'Asset', cell: ({ asset }) => asset },
      {
        title: 'Amount',
        align: 'end',
        cell: ({ asset, units }) => formatUnits(units, catalog.require(asset).decimals),
      },
      { title: 'State', cell: ({ status }) => badge(status, 'calm') },
      { title: 'To', cell: ({ to }) => to },
      { title: 'Since', cell: ({ createdAt }) => instant(createdAt) },
    ],
    { empty: '', caption: 'Forwards to the cold address' },
  );
}

function frozen({ status, shell, at, may }: OfChain): Markup {
  return table(
    status.frozen,
    [
      { title: 'Address', cell: ({ address }) => copyable(address) },
      { title: 'Reason', cell: ({ reason }) => reason },
      { title: 'Since', cell: ({ at: since }) => instant(since) },
      {
        title: '',
        cell: ({ address }) =>
          may
            ? shell.form(
                `${at}/unfreeze`,
                html`<input type="hidden" name="address" value="${address}">${button('Unfreeze', 'danger', 'Let it be swept again?')}`,
                { class: 'inline' },
              )
            : null,
      },
    ],
    { empty: '', caption: 'Frozen addresses' },
  );
}

function actions({ status, shell, at }: OfChain): Markup {
  const assets = status.assets.map(({ asset }) => [asset, asset] as const);
  return html`${card(
    'Sweep now',
    shell.form(
      `${at}/sweep`,
      html`${choice('asset', 'Asset', [['', 'all'], ...assets])}${field('address', 'Only this deposit address')}${button('Plan sweeps', 'plain', 'Sweep whatever it costs?')}`,
      { class: 'row' },
    ),
  )}${card(
    'Book owner funding',
    html`<p>Books the difference between chain and books at the hot wallet as your own money, put in or taken out.</p>${shell.form(`${at}/book/preview`, html`${choice('asset', 'Asset', assets, { id: 'asset-booked' })}${button('Look first', 'plain')}`, { class: 'row' })}`,
  )}`;
}

async function bookPreview(of: OperatorPages, call: OperatorCall): Promise<Response> {
  const { shell, base, params, form } = call;
  const chain = params.chain ?? '';
  const asset = form.text('asset');
  const found = await of.desk.previewCapital({ chain, asset });
  if (!found.ok) return chainPage(of, call, found.error);
  const { value } = found;
  const shown = (units: bigint): string => formatUnits(units, of.catalog.require(value.asset).decimals);
  const body = html`${facts([
    ['Asset', value.asset],
    ['As of block', String(value.height)],
    ['Books', shown(value.expectedUnits)],
    ['Chain', shown(value.foundUnits)],
    ['Would be booked', shown(value.units)],
  ])}${
    value.units === 0n
      ? html`<p>There is nothing to book.</p>`
      : shell.form(
          `${base}/wallets/${chain}/book`,
          html`${shell.formId()}<input type="hidden" name="asset" value="${value.asset}"><input type="hidden" name="units" value="${String(value.units)}">${field('note', 'Note', { required: true, maxLength: NOTE_LENGTH_MAX, hint: 'Where the money came from, or went to.' })}${button('Book it', 'main', 'Book it?')}`,
        )
  }<p><a href="${base}/wallets/${chain}">Back</a></p>`;
  return shell.page({ title: `Owner funding of ${chain}`, body });
}
