/** Bugs in notices to operators, and in what orders a forward of the hot wallet. */
import { bugs, type Mutant } from './mutant.ts';

const NOTICES = 'tests/journeys/operators/operator-notices.test.ts';
const STORED = 'tests/adapters/postgres/notices.test.ts';
const BARS = 'tests/journeys/treasury/forward-bars.test.ts';
const REFUSALS = 'tests/journeys/treasury/forward-refusals.test.ts';
const EVERYWHERE = 'tests/journeys/treasury/forwards.test.ts';
const NODES = 'tests/journeys/treasury/forward-nodes.test.ts';
const INTERRUPTIONS = 'tests/journeys/treasury/forward-interruptions.test.ts';

const NOTICING: readonly Mutant[] = [
  ...bugs(
    'src/domain/notices/operator-notice.ts',
    ['tests/domain/notices/operator-notice.test.ts'],
    [
      ["newest?.status === 'open' ? [{ ...newest, status: 'renewed' }, begun] : [begun]", '[begun]'],
      ["if (newest?.status !== 'open') return null;", 'if (newest === null) return null;'],
      ["status: lasts ? 'open' : 'noted'", "status: 'noted'"],
      ["newest.status === 'noted' || newest.status === 'open'", "newest.status !== 'renewed'"],
      ['newest.count + count', 'newest.count + 1'],
      ["status: 'sent', failure: null, told", 'failure: null, told'],
      ['>= GIVEN_UP_AFTER_MS', '> GIVEN_UP_AFTER_MS'],
      ['Math.min(PAUSE_MAX_MS, ', '('],
    ],
  ),
  ...bugs(
    'src/adapters/postgres/notices/operator-notices.ts',
    [STORED, NOTICES],
    [
      ['dueAt: until })', 'dueAt: now })'],
      ['and ${d.channel} = ${channel}\n      order', 'and ${channel} is not null\n      order'],
      [
        "and ${equals(d.message, 'raised')} and ${equals(d.status, 'sent')}",
        "and ${equals(d.message, 'raised')}",
        'what is not sent has told nothing',
      ],
      [" and not ${equals(d.told, 'over')})`", ')`'],
      [
        "select 'over' where ${equals(n.status, 'over')} and ${KNOWN}",
        "select 'over' where ${equals(n.status, 'renewed')} and ${KNOWN}",
      ],
      ['${n.firstAt} <= ${hourAgo} and ${KNOWN}', '${n.firstAt} > ${hourAgo} and ${KNOWN}'],
      [" and not ${equals(n.status, 'renewed')}", ''],
    ],
  ),
  ...bugs(
    'src/app/notices/record-notices.ts',
    ['tests/app/notices/record-notices.test.ts', NOTICES],
    [
      ['noticeFields(redact(fields))', 'noticeFields(fields)'],
      ['failed = error instanceof StorageUnavailable;', 'failed = true;'],
      ['failed = error instanceof StorageUnavailable;', 'failed = false;'],
      ["if (ended !== undefined) queue.add({ kind: 'end', event: ended, subject, at });", ''],
      ['if (!failed) waiting.shift();', 'waiting.shift();'],
    ],
  ),
  ...bugs(
    'src/app/notices/send-notices.ts',
    [NOTICES],
    [
      ['told: notice.status', "told: 'over'"],
      ["logger.error('notice.given_up', fields)", "logger.warn('notice.not_sent', fields)"],
    ],
  ),
];

const FORWARDING: readonly Mutant[] = [
  ...bugs(
    'src/app/treasury/forwards/forward-job.ts',
    [BARS, REFUSALS, EVERYWHERE],
    [
      ['return refusal === null ? cold :', 'return refusal !== undefined ? cold :'],
      [
        'unknownSinceBooks: books !== null && (await unknown.paidSince(chain, books.at))',
        'unknownSinceBooks: false',
      ],
      ['lackingPayouts: owed.reduce((sum, { lacking }) => sum + lacking, 0)', 'lackingPayouts: 0'],
      ['if (bar !== null) return noteBar(remembering, asset, bar, request);', ''],
      ['>= REQUEST_MS)', '>= 100 * REQUEST_MS)'],
    ],
  ),
  ...bugs(
    'src/app/treasury/forwards/order-forward.ts',
    [BARS, INTERRUPTIONS, EVERYWHERE],
    [
      ["if ((await outgoing.signingStopped()) !== null) return barred('stopped');", ''],
      ["if (gate.isShut()) return barred('start');", ''],
      [
        'newest !== undefined && isOpenTransfer(newest)',
        'newest === null',
        'the one on its way has taken its money: another takes only what came since',
      ],
      ['if (requested) await repositories.forwardRequests.remove(asset);', ''],
    ],
  ),
  ...bugs(
    'src/app/treasury/forwards/forward-money.ts',
    [BARS, NODES],
    [
      ['smaller(bySeen.left(key), byRecords.left(key))', 'byRecords.left(key)'],
      ['waitingUnits: owedOf(asset) + ', 'waitingUnits: '],
    ],
  ),
  ...bugs(
    'src/app/treasury/forwards/forward-utxos.ts',
    [BARS, EVERYWHERE],
    [
      ['waitingUnits: (owed?.units ?? 0n) + ', 'waitingUnits: '],
      ['const sent = units - budget;', 'const sent = units;'],
    ],
  ),
];

export const NOTICE_MUTANTS: readonly Mutant[] = [...NOTICING, ...FORWARDING];
