/**
 * Reads an uploaded list of payouts (RFC 4180, with commas or semicolons) and names every fault by
 * row and column. Nothing is guessed and nothing rounded: an amount with too many decimals is a
 * fault. Pure, but for the catalog.
 */
import type { Asset, AssetCatalog } from '../../../domain/catalog/asset.ts';
import {
  FIAT_CURRENCIES,
  type FiatCurrency,
  isFiatCurrency,
  minorDecimals,
} from '../../../domain/catalog/fiat.ts';
import { type Decimal, parseDecimal, toUnits } from '../../../domain/money/decimal.ts';
import { FEE_BEARERS, type FeeBearer } from '../../../domain/money/fee.ts';
import { PAYOUTS_PER_BATCH } from '../../../domain/payouts/payout-acceptance.ts';
import type { PayoutInput } from '../../application.ts';
import type { RowFault } from '../merchant-desk.ts';

const NEEDED = ['address', 'amount', 'asset'] as const;
const COLUMNS = [...NEEDED, 'fiat_currency', 'ref', 'fee_bearer'] as const;
type Column = (typeof COLUMNS)[number];

const CHARACTERS_MAX = 256 * 1024;
const ADDRESS_LENGTH_MAX = 256;
const REF_LENGTH_MAX = 128;
/** As of the API's amounts. */
const AMOUNT_MAX = 1_000_000_000_000_000n;
/** No exponent: spreadsheets shorten numbers with it. */
const PLAIN_DECIMAL = /^\d{1,40}(?:\.\d{1,40})?$/;

export interface CsvPayout {
  readonly row: number;
  readonly input: PayoutInput;
}

export interface ReadCsv {
  readonly payouts: readonly CsvPayout[];
  readonly faults: readonly RowFault[];
}

export function readPayoutCsv(text: string, catalog: AssetCatalog): ReadCsv {
  if (text.length > CHARACTERS_MAX) return ofFile(`has more than ${CHARACTERS_MAX / 1024} KiB`);
  const records = recordsOf(text.replace(/^\uFEFF/, ''));
  if (records === null) return ofFile('has a quoted field that does not end, or text after its end');
  const [header, ...rows] = records;
  if (header === undefined) return ofFile('is empty');
  const columns = header.fields.map((name) => name.trim().toLowerCase());
  const headerFaults = faultsOfHeader(columns);
  if (headerFaults.length > 0) return { payouts: [], faults: headerFaults };
  if (rows.length === 0) return ofFile('has no payouts');
  if (rows.length > PAYOUTS_PER_BATCH)
    return ofFile(`has ${rows.length} payouts: at most ${PAYOUTS_PER_BATCH} are ordered together`);
  const payouts: CsvPayout[] = [];
  const faults: RowFault[] = [];
  for (const { row, fields } of rows) {
    if (fields.length !== columns.length)
      faults.push({ row, column: null, message: `has ${fields.length} fields instead of ${columns.length}` });
    else {
      const input = readRow(new Map(columns.map((name, at) => [name, (fields[at] ?? '').trim()])), catalog);
      if ('asset' in input) payouts.push({ row, input });
      else faults.push(...input.map((fault) => ({ row, ...fault })));
    }
  }
  return { payouts, faults };
}

function ofFile(message: string): ReadCsv {
  return { payouts: [], faults: [{ row: 1, column: null, message }] };
}

function faultsOfHeader(columns: readonly string[]): readonly RowFault[] {
  const faultAt = (column: string, message: string) => ({ row: 1, column, message });
  const unknown = columns.filter((name) => !COLUMNS.some((known) => known === name));
  const twice = columns.filter((name, at) => columns.indexOf(name) !== at);
  return [
    ...NEEDED.filter((name) => !columns.includes(name)).map((name) => faultAt(name, 'is missing')),
    ...unknown.map((name) => faultAt(name, `is no column: they are ${COLUMNS.join(', ')}`)),
    ...twice.map((name) => faultAt(name, 'is there twice')),
  ];
}

type ColumnFault = Pick<RowFault, 'message'> & { readonly column: Column };

type AddFault = (column: Column, message: string) => null;

function readRow(
  fields: ReadonlyMap<string, string>,
  catalog: AssetCatalog,
): PayoutInput | readonly ColumnFault[] {
  const faults: ColumnFault[] = [];
  const field = (column: Column): string => fields.get(column) ?? '';
  const fault: AddFault = (column, message) => {
    faults.push({ column, message });
    return null;
  };
  const address = addressOf(field('address'), fault);
  const asset = assetOf(field('asset'), catalog, fault);
  const fiatCurrency = currencyOf(field('fiat_currency'), fault);
  const amount = amountOf(field('amount'), fault);
  const ref = refOf(field('ref'), fault);
  const feeBearer = bearerOf(field('fee_bearer').toLowerCase(), fault);
  if (address === null || asset === null || amount === null || fiatCurrency === undefined) return faults;
  const inAsset = fiatCurrency === null || fiatCurrency === 'native';
  const [decimals, unit] = inAsset
    ? [asset.decimals, asset.key]
    : [minorDecimals(fiatCurrency), fiatCurrency];
  if (toUnits(amount, decimals) === null)
    fault('amount', `must have at most ${decimals} decimals in ${unit}`);
  return faults.length > 0 ? faults : { address, amount, asset, fiatCurrency, ref, feeBearer };
}

function addressOf(text: string, fault: AddFault): string | null {
  if (text === '') return fault('address', 'is missing');
  return /^[!-~]+$/.test(text) && text.length <= ADDRESS_LENGTH_MAX
    ? text
    : fault('address', 'is no address');
}

function assetOf(name: string, catalog: AssetCatalog, fault: AddFault): Asset | null {
  if (name === '') return fault('asset', 'is missing');
  const found = catalog.resolve(name);
  return 'asset' in found ? found.asset : fault('asset', found.message);
}

function refOf(text: string, fault: AddFault): string | null {
  if (text === '') return null;
  const fits = text.length <= REF_LENGTH_MAX && !/\p{Cc}/u.test(text);
  return fits ? text : fault('ref', `must be at most ${REF_LENGTH_MAX} printable characters`);
}

function bearerOf(text: string, fault: AddFault): FeeBearer | null {
  const found = FEE_BEARERS.find((known) => known === text) ?? null;
  if (found === null && text !== '') fault('fee_bearer', `must be one of ${FEE_BEARERS.join(', ')}`);
  return found;
}

/** Undefined: a fault. */
function currencyOf(text: string, fault: AddFault): FiatCurrency | 'native' | null | undefined {
  if (text === '') return null;
  const code = text.toUpperCase();
  if (code === 'NATIVE') return 'native';
  if (isFiatCurrency(code)) return code;
  fault('fiat_currency', `must be native or one of ${FIAT_CURRENCIES.join(', ')}`);
  return undefined;
}

function amountOf(text: string, fault: AddFault): Decimal | null {
  if (text === '') return fault('amount', 'is missing');
  const amount = PLAIN_DECIMAL.test(text) ? parseDecimal(text) : null;
  if (amount === null) return fault('amount', 'must be a number with a point, 12.5 for example');
  if (amount.digits <= 0n) return fault('amount', 'must be above zero');
  if (amount.digits > AMOUNT_MAX * 10n ** BigInt(amount.scale)) return fault('amount', 'is too large');
  return amount;
}

interface CsvRecord {
  /** Its place in the file, from 1. Records without any text count, and are left out. */
  readonly row: number;
  readonly fields: readonly string[];
}

/** Null: the quotes are wrong. */
function recordsOf(text: string): readonly CsvRecord[] | null {
  const [firstLine = ''] = text.split(/\r?\n/, 1);
  const separator = firstLine.includes(',') ? ',' : ';';
  const records: CsvRecord[] = [];
  let fields: string[] = [];
  let [row, at] = [1, 0];
  const endRecord = (): void => {
    if (fields.some((field) => field.trim() !== '')) records.push({ row, fields });
    fields = [];
    row += 1;
  };
  while (at < text.length) {
    const field = fieldAt(text, at, separator);
    if (field === null) return null;
    fields.push(field.value);
    at = field.end;
    if (text[at] === separator) {
      at += 1;
      if (at === text.length) fields.push('');
      continue;
    }
    endRecord();
    at += text.startsWith('\r\n', at) ? 2 : 1;
  }
  endRecord();
  return records;
}

/** The field that begins there, and where it ends: at a separator, a line's end, or the text's. */
function fieldAt(text: string, at: number, separator: string): { value: string; end: number } | null {
  const isEnd = (place: number): boolean =>
    place >= text.length ||
    text[place] === separator ||
    text[place] === '\n' ||
    text.startsWith('\r\n', place);
  if (text[at] !== '"') {
    let end = at;
    while (!isEnd(end)) end += 1;
    return { value: text.slice(at, end), end };
  }
  let value = '';
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] !== '"') value += text[end];
    else if (text[end + 1] === '"') {
      value += '"';
      end += 1;
    } else return isEnd(end + 1) ? { value, end: end + 1 } : null;
  }
  return null;
}
