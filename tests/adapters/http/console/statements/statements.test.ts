/** Statements as CSV and PDF: every line, the balances before and after, and what they are not. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { extractText, getDocumentProxy } from 'unpdf';
import {
  STATEMENT_COLUMNS,
  statementCsv,
} from '../../../../../src/adapters/http/console/statements/statement-csv.ts';
import {
  PDF_LINES_MAX,
  statementPdf,
} from '../../../../../src/adapters/http/console/statements/statement-pdf.ts';
import {
  coinAmount,
  periodText,
  statementFileName,
  usd,
} from '../../../../../src/adapters/http/console/statements/statement-text.ts';
import type { Statement } from '../../../../../src/app/console/statement.ts';
import { AssetCatalog } from '../../../../../src/domain/catalog/asset.ts';
import type { StatementLine } from '../../../../../src/domain/console/statement.ts';

const catalog = new AssetCatalog();
const MERCHANT = 'a'.repeat(24);

function aLine(given: Partial<StatementLine> = {}): StatementLine {
  return {
    ...{ seq: 1, at: new Date('2026-03-02T10:11:12Z'), entry: 'income', referenceId: 'b'.repeat(24) },
    ...{ asset: 'usdt_tron', units: 24_750_000n, feeMicroUsd: 250_000n, netMicroUsd: 24_750_000n },
    ...given,
  };
}

function aStatement(lines: readonly StatementLine[], given: Partial<Statement> = {}): Statement {
  const openingMicroUsd = given.openingMicroUsd ?? 1_000_000_000n;
  return {
    scope: { merchantId: MERCHANT, sandbox: false },
    month: { year: 2026, month: 3 },
    ...{ isComplete: true, madeAt: new Date('2026-04-01T08:00:00Z') },
    ...{ legalName: 'Corner Ltd', name: 'Corner shop', openingMicroUsd },
    closingMicroUsd: lines.reduce((sum, { netMicroUsd }) => sum + netMicroUsd, openingMicroUsd),
    count: lines.length,
    async *lines() {
      for (let from = 0; from < lines.length; from += 500) yield lines.slice(from, from + 500);
    },
    ...given,
  };
}

async function csvOf(statement: Statement): Promise<readonly (readonly string[])[]> {
  const on = {
    signal: new AbortController().signal,
    onFailure: (thrown: unknown) => {
      throw thrown;
    },
  };
  const text = await new Response(await statementCsv(statement, catalog, on)).text();
  return text
    .trimEnd()
    .split('\r\n')
    .map((row) => row.split(','));
}

async function pdfOf(statement: Statement): Promise<{ text: string; pages: number; bytes: Uint8Array }> {
  const bytes = await statementPdf(statement, catalog);
  if (bytes === null) throw new Error('there is no PDF');
  const { text, totalPages } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), {
    mergePages: true,
  });
  return { text: text.replace(/\s+/g, ' '), pages: totalPages, bytes };
}

const PAYOUT = aLine({
  ...{ seq: 2, entry: 'payout_reserved', referenceId: 'c'.repeat(24), asset: 'btc_bitcoin' },
  ...{ units: 10_000n, feeMicroUsd: 1_500_000n, netMicroUsd: -7_123_456n },
});

describe('a statement as CSV', () => {
  test('has a row per line, between the balances before and after', async () => {
    expect(await csvOf(aStatement([aLine(), PAYOUT]))).toEqual([
      [...STATEMENT_COLUMNS],
      ['', '2026-03-01T00:00:00Z', 'opening_balance', ...Array.from({ length: 7 }, () => ''), '1000'],
      [
        ...['1', '2026-03-02T10:11:12Z', 'income', 'income', 'b'.repeat(24), 'usdt_tron', '24.75'],
        ...['25', '0.25', '24.75', '1024.75'],
      ],
      [
        ...[
          '2',
          '2026-03-02T10:11:12Z',
          'payout',
          'payout_reserved',
          'c'.repeat(24),
          'btc_bitcoin',
          '-0.0001',
        ],
        ...['-5.623456', '1.5', '-7.123456', '1017.626544'],
      ],
      ['', '2026-04-01T00:00:00Z', 'closing_balance', ...Array.from({ length: 7 }, () => ''), '1017.626544'],
    ]);
  });

  test('of a month that is not over says so', async () => {
    const rows = await csvOf(aStatement([], { isComplete: false, madeAt: new Date('2026-03-09T08:00:00Z') }));
    expect(rows.at(-1)?.slice(1, 3)).toEqual(['2026-03-09T08:00:00Z', 'balance_so_far']);
  });

  test('is cut off if the lines do not lead to the balance', async () => {
    const failures: unknown[] = [];
    const broken = aStatement([], {
      async *lines() {
        yield [aLine()];
        throw new Error('a statement ends elsewhere');
      },
    });
    const on = {
      signal: new AbortController().signal,
      onFailure: (thrown: unknown) => failures.push(thrown),
    };
    const body = await statementCsv(broken, catalog, on);
    await expect(new Response(body).text()).rejects.toThrow('elsewhere');
    expect(failures).toHaveLength(1);
  });

  test('has exact amounts whose running balance ends at the closing balance', async () => {
    const line = fc.record({
      net: fc.bigInt(-(10n ** 12n), 10n ** 12n),
      fee: fc.bigInt(-(10n ** 9n), 10n ** 9n),
      units: fc.bigInt(-(10n ** 20n), 10n ** 20n),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (drawn) => {
        const lines = drawn.map(({ net, fee, units }, seq) =>
          aLine({ seq, units, feeMicroUsd: fee, netMicroUsd: net }),
        );
        const rows = await csvOf(aStatement(lines));
        expect(rows.at(-1)?.at(-1)).toBe(rows.at(-2)?.at(-1));
        expect(rows).toHaveLength(lines.length + 3);
      }),
      { numRuns: 30 },
    );
  });
});

describe('a statement as PDF', () => {
  test('names the merchant, the period, every line and the totals, and is no tax document', async () => {
    const { text, pages } = await pdfOf(aStatement([aLine(), PAYOUT]));
    for (const part of [
      ...['Corner Ltd', 'Statement of account', '2026-03-01 to 2026-03-31 (UTC)', MERCHANT],
      ...['not a tax document', 'Opening balance', '1,000.00', 'Closing balance', '1,017.626544'],
      ...[
        '2026-03-02 10:11:12',
        'Payment',
        'b'.repeat(24),
        '24.75 USDT on tron',
        '25.00',
        '0.25',
        '1,024.75',
      ],
      ...['Payout', '-0.0001 BTC on bitcoin', '-5.623456', '1.50', '-7.123456', 'Totals', 'Page 1 of 1'],
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('not over');
    expect(text).not.toContain('SANDBOX');
    expect(pages).toBe(1);
  });

  test('of many lines has all of them, on numbered pages with headings', async () => {
    const lines = Array.from({ length: 1_234 }, (_, seq) =>
      aLine({ seq, referenceId: `ref${10_000 + seq}` }),
    );
    const { text, pages } = await pdfOf(aStatement(lines));
    for (const { referenceId } of lines) expect(text).toContain(referenceId);
    expect(pages).toBeGreaterThan(25);
    for (const page of [1, 2, pages]) expect(text).toContain(`Page ${page} of ${pages}`);
    expect(text.match(/Change, USD/g)).toHaveLength(pages);
  }, 120_000);

  test('cuts off no digit, however long an amount is', async () => {
    const long = aLine({
      ...{ asset: 'eth_ethereum', units: 123_456_789_123_456_789_123_456_789n },
      ...{ feeMicroUsd: 1_234_567_890_123_456n, netMicroUsd: 123_456_789_012_345_678n },
    });
    const { text } = await pdfOf(aStatement([long]));
    for (const part of [
      '123456789.123456789123456789 ETH on ethereum',
      '123,456,789,012.345678',
      '1,234,567,890.123456',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain('…');
  });

  test('of a sandbox, and of a month that is not over, say so', async () => {
    const { text } = await pdfOf(
      aStatement([], { scope: { merchantId: MERCHANT, sandbox: true }, isComplete: false }),
    );
    expect(text).toContain('SANDBOX');
    expect(text).toContain('The month is not over');
    expect(text).toContain('2026-04-01 08:00:00 Balance so far');
  });

  test('of a merchant whose name has letters that the font lacks names its id', async () => {
    const { text } = await pdfOf(aStatement([], { legalName: '株式会社', name: '商店' }));
    expect(text).toContain(`Merchant ${MERCHANT}`);
  });

  test('is not made of more lines than it may have', async () => {
    expect(await statementPdf(aStatement([], { count: PDF_LINES_MAX + 1 }), catalog)).toBeNull();
  });
});

describe('the words of a statement', () => {
  test('write amounts exactly, with two decimals at least', () => {
    const written = [0n, 1n, -1n, 1_500_000n, 1_234_567_890_000n, -999_000_000n].map(usd);
    expect(written).toEqual(['0.00', '0.000001', '-0.000001', '1.50', '1,234,567.89', '-999.00']);
  });

  test('give a coin the sign of what it did to the balance', () => {
    expect(coinAmount(aLine(), catalog)).toBe('24.75 USDT on tron');
    const back = aLine({ entry: 'income_reversed', units: -24_750_000n, netMicroUsd: -24_750_000n });
    expect(coinAmount(back, catalog)).toBe('-24.75 USDT on tron');
    const returned = aLine({ entry: 'payout_released', units: -5_000_000n, netMicroUsd: 5_100_000n });
    expect(coinAmount(returned, catalog)).toBe('5 USDT on tron');
  });

  test('name the file and the period', () => {
    expect(statementFileName(aStatement([]))).toBe('statement-2026-03');
    const open = aStatement([], { isComplete: false, scope: { merchantId: MERCHANT, sandbox: true } });
    expect(statementFileName(open)).toBe('statement-2026-03-sandbox-incomplete');
    expect(periodText({ month: { year: 2028, month: 2 } })).toBe('2028-02-01 to 2028-02-29 (UTC)');
  });
});
