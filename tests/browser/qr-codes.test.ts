/**
 * What a phone's camera reads from the page's QR code, in both schemes: the address and the amount
 * of the invoice. The requests are taken apart here by the standards' words, not with the code that
 * writes them.
 */
import { describe, expect, test } from 'bun:test';
import { chromiumAvailable } from '../support/browser/chromium.ts';
import { scanned } from '../support/browser/qr.ts';
import { stageShop } from '../support/browser/shop.ts';
import { postgresAvailable } from '../support/postgres/postgres.ts';
import { needs } from '../support/runtime/needs.ts';
import type { Json } from '../support/test-service.ts';

/** What a wallet makes of a code; null what it does not say. */
interface Request {
  readonly to: string;
  /** Base units. */
  readonly units: bigint | null;
  readonly chainId?: number;
  /** Contract, mint or master of a token. */
  readonly token?: string;
  readonly tag?: number;
}

/** EIP-681. An address with `/transfer` is the token's contract. */
function eip681(text: string): Request {
  const [, target = '', chainId, call, query = ''] =
    /^ethereum:(0x[0-9a-fA-F]{40})@(\d+)(\/transfer)?\?(.*)$/.exec(text) ?? [];
  const given = new URLSearchParams(query);
  const chain = Number(chainId);
  return call === undefined
    ? { to: target, units: BigInt(given.get('value') ?? ''), chainId: chain }
    : {
        to: given.get('address') ?? '',
        units: BigInt(given.get('uint256') ?? ''),
        chainId: chain,
        token: target,
      };
}

/** BIP-21 and its kin: `scheme:address?amount=<whole coins>`. */
function bip21(scheme: string, decimals: number, amount = 'amount') {
  return (text: string): Request => {
    const [address = '', query = ''] = text.slice(scheme.length + 1).split('?');
    expect(text).toStartWith(`${scheme}:`);
    return { to: address, units: coins(new URLSearchParams(query).get(amount) ?? '', decimals) };
  };
}

/** Solana Pay, transfer request. */
function solanaPay(decimals: number) {
  return (text: string): Request => {
    const token = new URLSearchParams(text.split('?')[1]).get('spl-token');
    return { ...bip21('solana', decimals)(text), ...(token === null ? {} : { token }) };
  };
}

/** TON's deep link: amounts are base units, of the jetton where one is named. */
function tonLink(text: string): Request {
  const [, to = '', query] = /^ton:\/\/transfer\/([\w-]{48})\?(.*)$/.exec(text) ?? [];
  const given = new URLSearchParams(query);
  const token = given.get('jetton');
  return { to, units: BigInt(given.get('amount') ?? ''), ...(token === null ? {} : { token }) };
}

/** Of XRP wallets that know no X-address. */
function ripple(text: string): Request {
  return { ...bip21('ripple', 6)(text), tag: Number(new URLSearchParams(text.split('?')[1]).get('dt')) };
}

/** Tron has no standard that wallets share: the address alone. */
const plain = (text: string): Request => ({ to: text, units: null });

function coins(text: string, decimals: number): bigint {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  expect([text, fraction.length <= decimals, whole !== '']).toEqual([text, true, true]);
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

type Family = readonly [
  asset: string,
  decimals: number,
  parse: (text: string) => Request,
  says: Partial<Request>,
];
const TETHER = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const FAMILIES: readonly Family[] = [
  ['eth_ethereum', 18, eip681, { chainId: 1 }],
  ['usdt_ethereum', 6, eip681, { chainId: 1, token: TETHER }],
  ['usdc_base', 6, eip681, { chainId: 8453, token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }],
  ['btc_bitcoin', 8, bip21('bitcoin', 8), {}],
  ['ltc_litecoin', 8, bip21('litecoin', 8), {}],
  ['bch_bitcoincash', 8, bip21('bitcoincash', 8), {}],
  ['trx_tron', 6, plain, { units: null }],
  ['usdt_tron', 6, plain, { units: null }],
  ['sol_solana', 9, solanaPay(9), {}],
  ['usdc_solana', 6, solanaPay(6), { token: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' }],
  ['xrp_xrp', 6, ripple, {}],
  ['ton_ton', 9, tonLink, {}],
  ['usdt_ton', 6, tonLink, { token: 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs' }],
  ['xmr_monero', 12, bip21('monero', 12, 'tx_amount'), {}],
];

const ready = needs('chromium', chromiumAvailable()) && needs('postgres', postgresAvailable());
describe.skipIf(!ready)('the QR code of', () => {
  const on = stageShop();
  const { stage } = on;

  /** Where the code must lead: the invoice's address as wallets of the family write it. */
  function destination(invoice: Json): Pick<Request, 'to' | 'tag'> {
    if (invoice.address_classic !== null) return { to: invoice.address_classic, tag: invoice.address_tag };
    return { to: invoice.address_to.replace(/^bitcoincash:/, '') };
  }

  test.each(FAMILIES)(
    '%s leads to the invoice with its amount, in light and dark',
    async (asset, decimals, parse, says) => {
      const invoice = await on.shop.invoice({ asset, sandbox: true });
      const page = await stage.regular();
      await page.goto(invoice.payment_url);
      const expected = { ...destination(invoice), units: coins(String(invoice.amount), decimals), ...says };
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(parse((await scanned(page)) ?? 'nothing readable')).toEqual(expected);
      }
    },
  );
});
