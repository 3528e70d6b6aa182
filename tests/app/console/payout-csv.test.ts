import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readPayoutCsv } from '../../../src/app/console/merchant/payout-csv.ts';
import { AssetCatalog } from '../../../src/domain/catalog/asset.ts';
import { formatUnits } from '../../../src/domain/money/decimal.ts';

const catalog = new AssetCatalog();
const read = (...lines: readonly string[]) => readPayoutCsv(lines.join('\n'), catalog);
const HEADER = 'address,amount,asset,fiat_currency,ref,fee_bearer';
const faultsOf = (...lines: readonly string[]) =>
  read(...lines).faults.map(({ row, column, message }) => `${row} ${column ?? '-'}: ${message}`);

describe('the CSV of payouts', () => {
  test('every column is read, and what is empty has its default', () => {
    const { payouts, faults } = read(
      HEADER,
      '0xab,12.50,usdt_ethereum,usd,"A ""1"", b",Client',
      '0xcd,1,btc,,,',
    );
    expect(faults).toEqual([]);
    expect(payouts).toMatchObject([
      {
        row: 2,
        input: {
          ...{ address: '0xab', amount: { digits: 125n, scale: 1 }, asset: { key: 'usdt_ethereum' } },
          ...{ fiatCurrency: 'USD', ref: 'A "1", b', feeBearer: 'client' },
        },
      },
      { row: 3, input: { asset: { key: 'btc_bitcoin' }, fiatCurrency: null, ref: null, feeBearer: null } },
    ]);
  });

  test('only the first three columns are needed, in any order, with semicolons, a mark and empty lines', () => {
    const text = '\uFEFF Amount;ASSET;address\r\n3;usdt_tron;Tabc\r\n\r\n;;\r\n';
    expect(readPayoutCsv(text, catalog)).toMatchObject({
      faults: [],
      payouts: [{ input: { address: 'Tabc' } }],
    });
  });

  test('every fault is named by its row and column', () => {
    expect(
      faultsOf(
        HEADER,
        ',,,,,',
        'no address,12;5,nothing,XXX,,someone',
        '0xab,-1,usdt_ethereum,,,',
        '0xab,0,usdt_ethereum,,,',
        '0xab,1e3,usdt_ethereum,,,',
        '0xab,1.0000001,usdt_ethereum,,,',
        '0xab,1.001,usdt_ethereum,USD,,',
        '0xab,"1,5",usdt_ethereum,,,',
        '0xab,1,usdt,,,',
        '0xab,1',
        // A decimal comma that nobody quoted: its digits would be read as an asset.
        '0xab,1,5,usdt_ethereum,,,',
      ),
    ).toEqual([
      '3 address: is no address',
      expect.stringMatching(/^3 asset: Unknown asset: nothing/),
      expect.stringMatching(/^3 fiat_currency: must be native or one of/),
      '3 amount: must be a number with a point, 12.5 for example',
      '3 fee_bearer: must be one of merchant, client',
      '4 amount: must be a number with a point, 12.5 for example',
      '5 amount: must be above zero',
      '6 amount: must be a number with a point, 12.5 for example',
      '7 amount: must have at most 6 decimals in usdt_ethereum',
      '8 amount: must have at most 2 decimals in USD',
      '9 amount: must be a number with a point, 12.5 for example',
      expect.stringMatching(/^10 asset: Ambiguous asset: usdt/),
      '11 -: has 2 fields instead of 6',
      '12 -: has 7 fields instead of 6',
    ]);
    const mixed = read(HEADER, '0xab,1,usdt_ethereum,,,', '0xcd,none,usdt_ethereum,,,');
    expect([mixed.payouts.length, mixed.faults.map(({ row }) => row)]).toEqual([1, [3]]);
  });

  test('a file that is no list of payouts is one fault', () => {
    expect(faultsOf('')).toEqual(['1 -: is empty']);
    expect(faultsOf(HEADER)).toEqual(['1 -: has no payouts']);
    expect(faultsOf('address,amount')).toEqual(['1 asset: is missing']);
    expect(faultsOf('address,amount,asset,asset,memo')).toEqual([
      expect.stringMatching(/^1 memo: is no column/),
      '1 asset: is there twice',
    ]);
    expect(faultsOf(HEADER, '"0xab,1,usdt_ethereum')).toEqual([expect.stringMatching(/quoted field/)]);
    expect(faultsOf(HEADER, '"0xab"x,1,usdt_ethereum,,,')).toEqual([expect.stringMatching(/quoted field/)]);
    const many = Array.from({ length: 201 }, () => '0xab,1,usdt_ethereum,,,');
    expect(faultsOf(HEADER, ...many)).toEqual(['1 -: has 201 payouts: at most 200 are ordered together']);
    expect(faultsOf(HEADER, ...many.slice(1))).toEqual([]);
    expect(faultsOf('x'.repeat(300_000))).toEqual(['1 -: has more than 256 KiB']);
  });

  test('any text is read or has faults, and none throws', () => {
    const cell = fc.oneof(
      fc.constantFrom('', '"', '""', 'usdt_ethereum', '1', '0xab', '\n', '\r\n', ',', ';', 'address'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.boolean(), fc.array(cell, { maxLength: 30 }), (headed, cells) => {
        const { payouts, faults } = readPayoutCsv(`${headed ? `${HEADER}\n` : ''}${cells.join('')}`, catalog);
        expect(payouts.length + faults.length).toBeGreaterThan(0);
      }),
    );
  });

  test('whatever is quoted is read back, and amounts stay exact', () => {
    const rows = fc.array(
      fc.record({
        units: fc.bigInt({ min: 1n, max: 10n ** 18n }),
        ref: fc.string({ maxLength: 100 }).filter((text) => !/\p{Cc}/u.test(text)),
      }),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(rows, (all) => {
        const lines = all.map(
          ({ units, ref }) => `0xab,${formatUnits(units, 6)},usdt_ethereum,,"${ref.replaceAll('"', '""')}",`,
        );
        const { payouts, faults } = read(HEADER, ...lines);
        expect(faults).toEqual([]);
        expect(
          payouts.map(({ input }) => [
            input.amount.digits * 10n ** BigInt(6 - input.amount.scale),
            input.ref ?? '',
          ]),
        ).toEqual(all.map(({ units, ref }) => [units, ref.trim()]));
      }),
    );
  });
});
