/** `bun run signer`: without a command the signer process itself; `log` shows what it signed. */
import { join } from 'node:path';
import type { SignedEntry } from '../src/adapters/signer/signing-entry.ts';
import { type LogVerdict, verifySigningLog } from '../src/adapters/signer/verify-signing-log.ts';
import { catalogOf } from '../src/compose/catalog.ts';
import type { AssetCatalog } from '../src/domain/catalog/asset.ts';
import { formatUnits } from '../src/domain/money/decimal.ts';
import { type CommandReport, type OfflineCommand, type Program, runProgram } from './support/program.ts';
import { shownTime, table } from './support/table.ts';
import { wholeNumber } from './support/values.ts';

const DEFAULT_LAST = 20;
const LAST_MAX = 100_000;

const log: OfflineCommand = {
  name: 'log',
  about:
    'Prints the newest signatures of DATA_DIR/signer.log. The hash chain is checked from the first line; --verify prints only the verdict. Exit code 1 if it is broken.',
  audits: [],
  positionals: [],
  options: {
    last: { value: 'N', help: `how many signatures (default ${DEFAULT_LAST})` },
    verify: { help: 'only say whether the chain holds, or where it breaks' },
  },
  examples: ['--verify', '--last 100 --json'],
  readOffline(args) {
    const last = args.read('last', wholeNumber(1, LAST_MAX)) ?? DEFAULT_LAST;
    const only = args.isSet('verify');
    return async (config) => {
      const path = join(config.dataDir, 'signer.log');
      const newest: SignedEntry[] = [];
      const verdict = await verifySigningLog(path, (entry) => {
        newest.push(entry);
        if (newest.length > last) newest.shift();
      });
      return report(path, verdict, only ? null : newest, catalogOf(config));
    };
  },
};

function report(
  path: string,
  verdict: LogVerdict,
  entries: readonly SignedEntry[] | null,
  catalog: AssetCatalog,
): CommandReport {
  const amount = (asset: string, units: bigint): string => {
    const known = catalog.get(asset);
    return known ? formatUnits(units, known.decimals) : `${units} base units`;
  };
  const shown = entries?.flatMap(
    ({ at: time, purpose, chain, wallet, nonce, asset, payments, voids, txid }) =>
      payments.map(({ transferId, referenceId, to, units }) => ({
        time,
        transfer_id: transferId,
        purpose,
        reference_id: referenceId,
        chain,
        wallet,
        nonce: nonce.toString(),
        asset,
        to,
        amount: amount(asset, units),
        voids,
        txid,
      })),
  );
  const { broken, tornBytes, lines, signed, head, remarks } = verdict;
  const text = [
    ...(shown ? [table(COLUMNS, shown, { empty: 'nothing was signed' })] : []),
    ...remarks.map(({ at, note }) => `${shownTime(at)}  ${note}`),
    ...(tornBytes > 0 ? [`${tornBytes} bytes behind the last line: it is being written, or was torn`] : []),
    broken === null
      ? `${path}: ${lines} lines, ${signed} signatures, the chain holds. Last hash: ${head}`
      : `${path}: line ${broken.line} ${broken.fault}. The ${lines} lines before it hold`,
  ];
  return {
    json: {
      ...(shown
        ? {
            signatures: shown.map(({ time, ...rest }) => ({
              time: Math.floor(time.getTime() / 1000),
              ...rest,
            })),
          }
        : {}),
      lines,
      signed,
      head,
      remarks: remarks.map(({ at, note }) => ({ time: Math.floor(at.getTime() / 1000), note })),
      torn_bytes: tornBytes,
      broken,
    },
    text: text.join('\n'),
    exitCode: broken === null ? 0 : 1,
  };
}

interface SignedEntryRow {
  readonly time: Date;
  readonly purpose: string;
  readonly reference_id: string;
  readonly chain: string;
  readonly nonce: string;
  readonly asset: string;
  readonly to: string;
  readonly amount: string;
  readonly voids: boolean;
  readonly txid: string;
}

const COLUMNS = [
  { title: 'TIME', cell: ({ time }: SignedEntryRow) => shownTime(time) },
  { title: 'FOR', cell: ({ purpose, voids }: SignedEntryRow) => (voids ? `void ${purpose}` : purpose) },
  { title: 'REFERENCE', cell: (row: SignedEntryRow) => row.reference_id },
  { title: 'CHAIN', cell: (row: SignedEntryRow) => row.chain },
  { title: 'SEQUENCE', align: 'right' as const, cell: (row: SignedEntryRow) => row.nonce },
  { title: 'AMOUNT', align: 'right' as const, cell: (row: SignedEntryRow) => row.amount },
  { title: 'ASSET', cell: (row: SignedEntryRow) => row.asset },
  { title: 'TO', cell: (row: SignedEntryRow) => row.to },
  { title: 'TXID', cell: (row: SignedEntryRow) => row.txid },
];

export const program: Program = {
  name: 'signer',
  about: 'The process that holds the keys (without a command), and the log of what it signed.',
  commands: [log],
};

if (import.meta.main) {
  if (process.argv.length <= 2) await import('../src/signer.ts');
  else await runProgram(program);
}
