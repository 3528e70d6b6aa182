/** Hot wallets: what each has, what waits for it, what leaves it, and the operator's own money. */

import type { ChainTreasury } from '../../../../app/console/operator-desk.ts';
import type { WalletSetup } from '../../../../app/treasury/prepare-wallet.ts';
import type { TreasuryStatus } from '../../../../app/treasury/treasury.ts';
import { isGranted } from '../../../../domain/accounts/role.ts';
import { NOTE_LENGTH_MAX } from '../../../../domain/audit/audit-entry.ts';
import { CHAINS } from '../../../../domain/catalog/chain.ts';
import { validationError } from '../../../../domain/errors.ts';
import { formatUnits } from '../../../../domain/money/decimal.ts';
import { html, type Markup } from '../../checkout/page/html.ts';
import { acted, ordered } from '../kit/acted.ts';
import { notFound } from '../kit/gate.ts';
import { amount, button, card, choice, copyable, facts, field } from '../kit/parts.ts';
import { qrImage } from '../kit/qr-image.ts';
import { type ConsoleRoute, type OperatorCall, ofOperator } from '../kit/route.ts';
import type { Problem } from '../kit/shell.ts';
import type { OperatorPages } from './operator-pages.ts';
import { balances, forwards, frozen, holdingsTable, type OfChain, parked, sweeps } from './wallet-tables.ts';

/** Base units, below zero where money was taken out. */
const UNITS = /^-?\d{1,80}$/;

/** Of all chains. */
const PARKED_SHOWN = 100;

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
    ofOperator('treasury.manage', 'POST', '/wallets/:chain/give-up', (call) => giveUp(of, call)),
    ofOperator('treasury.manage', 'POST', '/wallets/:chain/forward', (call) =>
      acted(call, desk.requestForward(call.seat, call.form.text('asset')), back(call, 'forward_planned')),
    ),
    ofOperator('treasury.manage', 'POST', '/wallets/:chain/forward/give-up', (call) =>
      acted(call, desk.giveUpForward(call.seat, call.form.text('id')), back(call, 'given_up')),
    ),
    ofOperator('treasury.manage', 'POST', '/wallets/:chain/set-up', (call) => setUp(of, call)),
    ofOperator('treasury.manage', 'POST', '/wallets/:chain/assign', (call) => {
      const { form, seat } = call;
      const wanted = { chain: chainOf(call), txid: form.text('txid'), address: form.text('address') };
      return acted(call, desk.assignFunding(seat, wanted), back(call, 'assigned'));
    }),
    ofOperator('treasury.manage', 'POST', '/wallets/:chain/adopt', (call) => {
      const { form, seat } = call;
      const wanted = { chain: chainOf(call), txid: form.text('txid'), note: form.text('note') };
      return ordered(call, desk.adoptFunding(seat, wanted, form.text('form_id')), back(call, 'booked'));
    }),
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

async function chainPage(
  { desk, catalog }: OperatorPages,
  { shell, base, params, seat }: OperatorCall,
  problem: Problem | null = null,
  told: string | null = null,
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
  const place = { shell, at: `${base}/wallets/${chain}`, may };
  const pooled = (await desk.unbookedFunding(PARKED_SHOWN)).filter((row) => row.chain === chain);
  const forwardable = desk.forwardable(chain);
  const body = html`${told === null ? null : html`<p class="message calm" role="status">${told}</p>`}
${await topUp(status)}
${card(
  'Balances',
  holdingsTable(
    status.assets.map((holdings) => ({ chain, holdings })),
    catalog,
    base,
  ),
)}
${pooled.length === 0 ? null : card('Without a tag of ours', parked(place, pooled, catalog))}
${card('Sweeps', sweeps({ status, ...place }))}
${status.forwards.length === 0 && forwardable.length === 0 ? null : card('Forwards to the cold address', forwards({ status, ...place }, catalog))}
${status.frozen.length === 0 ? null : card('Frozen addresses', frozen({ status, ...place }))}
${may ? actions({ status, ...place }, forwardable) : null}`;
  return shell.page({ title, body, problem, ...(problem === null ? {} : { status: 400 }) });
}

function awayText({ unavailable }: ChainTreasury): Markup {
  return html`<p class="message warn">No node answers: ${unavailable}</p>`;
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

function actions({ status, shell, at }: OfChain, forwardable: readonly string[]): Markup {
  const assets = status.assets.map(({ asset }) => [asset, asset] as const);
  return html`${card(
    'Sweep now',
    shell.form(
      `${at}/sweep`,
      html`${choice('asset', 'Asset', [['', 'all'], ...assets])}${field('address', 'Only this deposit address')}${button('Plan sweeps', 'plain', 'Sweep whatever it costs?')}`,
      { class: 'row' },
    ),
  )}${
    forwardable.length === 0
      ? null
      : card(
          'Forward now',
          html`<p>To the cold address that the signer’s policy names. What payouts and gas need stays.</p>${shell.form(
            `${at}/forward`,
            html`${choice(
              'asset',
              'Asset',
              forwardable.map((asset) => [asset, asset] as const),
              { id: 'asset-forwarded' },
            )}${button('Forward', 'plain', 'Forward what is above what is kept?')}`,
            { class: 'row' },
          )}`,
        )
  }${card(
    'Book owner funding',
    html`<p>Books the difference between chain and books at the hot wallet as your own money, put in or taken out.</p>${shell.form(`${at}/book/preview`, html`${choice('asset', 'Asset', assets, { id: 'asset-booked' })}${button('Look first', 'plain')}`, { class: 'row' })}`,
  )}${card(
    'Settings of the account',
    html`<p>Some chains (XRP) can refuse payments without a tag. A transaction that moves nothing sets that.</p>${shell.form(`${at}/set-up`, button('Set it up', 'plain'))}`,
  )}`;
}

const SET_UP: Readonly<Record<WalletSetup, string>> = {
  nothing_to_set: 'This chain has nothing to set.',
  not_funded: 'The account is not funded yet: send it more than the reserve, then come back.',
  is_set: 'It is set: the account requires a destination tag.',
  on_its_way: 'It was ordered before. A worker sends it.',
  ordered: 'It is ordered. A worker has the transaction signed, and sends it.',
};

async function setUp(of: OperatorPages, call: OperatorCall): Promise<Response> {
  const done = await of.desk.setUpWallet(call.seat, call.params.chain ?? '');
  return done.ok ? chainPage(of, call, null, SET_UP[done.value]) : chainPage(of, call, done.error);
}

/** Says what the wallet lacks for the transaction that uses the nonce up. */
async function giveUp(of: OperatorPages, call: OperatorCall): Promise<Response> {
  const { seat, form, base, params } = call;
  const done = await of.desk.giveUpSweep(seat, form.text('id'));
  if (!done.ok) return chainPage(of, call, done.error);
  const { transfer, gas } = done.value;
  if (transfer === null || (gas !== null && gas.hasUnits >= gas.neededUnits))
    return call.shell.done(`${base}/wallets/${params.chain ?? ''}`, 'given_up');
  const shown = (units: bigint, asset: string): string => amount(units, of.catalog.require(asset));
  const lacking =
    gas === null
      ? 'No node answers whether the wallet has gas for that.'
      : `It lacks gas: it has ${shown(gas.hasUnits, gas.asset)}, and needs about ${shown(gas.neededUnits, gas.asset)}. Send that to it.`;
  const told = `The sweep is given up. A transaction that moves nothing uses nonce ${transfer.nonce} of ${transfer.wallet}. ${lacking}`;
  return chainPage(of, call, null, told);
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
