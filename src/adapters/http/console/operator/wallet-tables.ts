/** The tables of the hot wallets' pages: what is held, swept, forwarded, frozen, and undecided. */

import type { OperatorDesk } from '../../../../app/console/operator-desk.ts';
import type { AssetHoldings, TreasuryStatus } from '../../../../app/treasury/treasury.ts';
import { NOTE_LENGTH_MAX } from '../../../../domain/audit/audit-entry.ts';
import { formatUnits } from '../../../../domain/money/decimal.ts';
import { isOpenTransfer } from '../../../../domain/sending/outgoing.ts';
import type { Sweep } from '../../../../domain/sweeps/sweep.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { amount, badge, button, choice, copyable, field, instant, table } from '../kit/parts.ts';
import type { OperatorCall } from '../kit/route.ts';
import type { OperatorPages } from './operator-pages.ts';

export interface OfChain {
  readonly status: TreasuryStatus;
  readonly shell: OperatorCall['shell'];
  readonly at: string;
  readonly may: boolean;
}

interface Held {
  readonly chain: string;
  readonly holdings: AssetHoldings;
}

/** What has nothing, and waits for nothing, is folded away: there are many assets. */
export function balances(rows: readonly Held[], catalog: OperatorPages['catalog'], base: string): Markup {
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

export function holdingsTable(
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

export function sweeps({ status, shell, at, may }: OfChain): Markup {
  return table(
    status.sweeps,
    [
      {
        title: 'Sweep',
        cell: ({ id, status: state, createdAt }) =>
          html`<code>${id}</code><br>${badge(state, state === 'failed' ? 'bad' : 'calm')}<br><small>${instant(createdAt)}</small>`,
      },
      { title: 'Address', cell: ({ address }) => copyable(address) },
      { title: 'Asset', cell: ({ asset }) => asset },
      { title: 'Reason', cell: ({ reason }) => reason?.text ?? '' },
      {
        title: '',
        cell: (sweep) =>
          may
            ? shell.form(
                `${at}/give-up`,
                html`${givenUpOf(sweep)}${button('Give it up', 'danger', 'Give it up?')}`,
                { class: 'inline' },
              )
            : null,
      },
    ],
    { empty: 'No sweeps are open.', caption: 'Sweeps' },
  );
}

export function forwards({ status, shell, at, may }: OfChain, catalog: OperatorPages['catalog']): Markup {
  const { forwardRequests } = status;
  return html`${
    forwardRequests.length === 0
      ? null
      : html`<p class="message calm">Asked for, and carried out as soon as nothing bars it, within a day: ${forwardRequests.map(({ asset }) => asset).join(', ')}.</p>`
  }${table(
    status.forwards,
    [
      { title: 'Asset', cell: ({ asset }) => asset },
      {
        title: 'Amount',
        align: 'end',
        cell: ({ asset, units }) => formatUnits(units, catalog.require(asset).decimals),
      },
      {
        title: 'State',
        cell: ({ status: state, createdAt }) =>
          html`${badge(state, 'calm')}<br><small>${instant(createdAt)}</small>`,
      },
      { title: 'To', cell: ({ to }) => html`<code>${to}</code>` },
      {
        title: '',
        cell: (forward) =>
          may && isOpenTransfer(forward)
            ? shell.form(
                `${at}/forward/give-up`,
                html`<input type="hidden" name="id" value="${forward.id}">${button('Give it up', 'danger', 'Give this forward up? It is mined all the same, or nothing of it is.')}`,
                { class: 'inline' },
              )
            : null,
      },
    ],
    { empty: 'Nothing was forwarded.', caption: 'Forwards to the cold address' },
  )}`;
}

/** The whole sweep, or one of its transfers. */
function givenUpOf({ id, transferId, topupId, delegationId, undelegationId }: Sweep): Markup {
  const parts = [
    ...[
      [transferId, 'only its money'],
      [topupId, 'only its gas'],
    ],
    ...[
      [delegationId, 'only its energy'],
      [undelegationId, 'only the return of its energy'],
    ],
  ].flatMap(([of, text]): readonly (readonly [string, string])[] =>
    typeof of === 'string' && typeof text === 'string' ? [[of, text]] : [],
  );
  if (parts.length === 0) return html`<input type="hidden" name="id" value="${id}">`;
  return choice('id', 'What', [[id, 'what is on its way'], ...parts], { id: `part-${id}` });
}

export function frozen({ status, shell, at, may }: OfChain): Markup {
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

type Parked = Awaited<ReturnType<OperatorDesk['unbookedFunding']>>;

/** Money without a tag of ours in the account of a hot wallet: each is a customer's, or our own. */
export function parked(
  { shell, at, may }: Omit<OfChain, 'status'>,
  rows: Parked,
  catalog: OperatorPages['catalog'],
): Markup {
  return table(
    rows,
    [
      {
        title: 'Amount',
        align: 'end',
        cell: ({ units, asset }) => amount(units, catalog.require(asset)),
      },
      { title: 'Block', align: 'end', cell: ({ height }) => (height === null ? '' : String(height)) },
      { title: 'Transaction', cell: ({ txid }) => copyable(txid) },
      {
        title: '',
        cell: ({ txid, vout }) => {
          const of = html`<input type="hidden" name="txid" value="${txid}">`;
          const place = `${txid}-${vout}`;
          return may
            ? html`<div class="actions">${shell.form(
                `${at}/assign`,
                html`${of}${field('address', 'It was meant for', { id: `address-${place}`, required: true, hint: 'An X-address, or ACCOUNT:TAG.' })}${button('Assign', 'plain', 'Give it to this address?')}`,
                { class: 'inline' },
              )}${shell.form(
                `${at}/adopt`,
                html`${shell.formId()}${of}${field('note', 'Note', { id: `note-${place}`, required: true, maxLength: NOTE_LENGTH_MAX })}${button('Book as our own', 'danger', 'Is it no customer’s money? Book it as owner funding?')}`,
                { class: 'inline' },
              )}</div>`
            : null;
        },
      },
    ],
    { empty: 'None.', caption: 'Money without a tag of ours' },
  );
}
