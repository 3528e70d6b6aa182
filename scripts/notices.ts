/** `bun run notices`: the alarms, with what to do, and a test of how they reach operators. */
import { type ShownNotice, showNotices } from '../src/app/notices/show-notices.ts';
import { tryChannels } from '../src/app/notices/try-channels.ts';
import { noticeChannels } from '../src/compose/messages/notices.ts';
import { operatorsLogger } from './support/operators-logger.ts';
import { type Command, type Program, runProgram } from './support/program.ts';
import { shownTime, table } from './support/table.ts';
import { wholeNumber } from './support/values.ts';

const DEFAULT_LIMIT = 20;
const LIMIT_MAX = 1_000;

const list: Command = {
  name: 'list',
  about: 'Lists alarms: those whose end was not reported first, then the newest, with what to do.',
  audits: [],
  positionals: [],
  options: { limit: { value: 'N', help: `how many (default ${DEFAULT_LIMIT})` } },
  examples: ['', '--limit 100 --json'],
  read(args) {
    const limit = args.read('limit', wholeNumber(1, LIMIT_MAX)) ?? DEFAULT_LIMIT;
    return async ({ service }) => {
      const notices = await showNotices(service.dependencies)({ limit });
      const rows = table(
        [
          { title: 'STATUS', cell: ({ status }) => status },
          { title: 'EVENT', cell: ({ event }) => event },
          { title: 'ABOUT', cell: ({ subject }) => subject },
          { title: 'FIRST', cell: ({ firstAt }) => shownTime(firstAt) },
          { title: 'LAST', cell: ({ lastAt }) => shownTime(lastAt) },
          { title: 'TIMES', align: 'right', cell: ({ count }) => String(count) },
          {
            title: 'SENT',
            align: 'right',
            cell: ({ sent, unsent, givenUp }) => `${sent}/${sent + unsent + givenUp}`,
          },
          { title: 'DO', cell: ({ action }) => action },
        ],
        notices,
        { empty: 'no alarms' },
      );
      return { json: { notices: notices.map(noticeJson) }, text: rows };
    };
  },
};

const test: Command = {
  name: 'test',
  about:
    'Sends a test to every address of OPERATOR_MAIL_TO, and to OPERATOR_WEBHOOK_URL. Exit code 1 if one of them did not take it, or none is set.',
  audits: [],
  positionals: [],
  options: {},
  examples: ['', '--json'],
  read: () => async (context) => {
    const { config, service, progress } = context;
    const channels = noticeChannels(config, operatorsLogger(config, progress));
    const tried = await tryChannels(service.dependencies, { channels, site: config.baseUrl })();
    const works = tried.length > 0 && tried.every(({ outcome }) => outcome === 'sent');
    return {
      json: { works, tried },
      text: table(
        [
          { title: 'CHANNEL', cell: ({ channel }) => channel },
          { title: 'TO', cell: ({ recipient }) => recipient || 'OPERATOR_WEBHOOK_URL' },
          { title: 'RESULT', cell: ({ outcome }) => outcome },
        ],
        tried,
        { empty: 'nothing is set: OPERATOR_MAIL_TO, OPERATOR_WEBHOOK_URL' },
      ),
      exitCode: works ? 0 : 1,
    };
  },
};

function noticeJson(notice: ShownNotice) {
  const { id, event, subject, status, what, meaning, action, count, fields } = notice;
  const seconds = (at: Date | null) => at && Math.floor(at.getTime() / 1_000);
  return {
    ...{ id, event, subject, status, count, what, meaning, action, fields },
    ...{
      first_at: seconds(notice.firstAt),
      last_at: seconds(notice.lastAt),
      over_at: seconds(notice.overAt),
    },
    ...{ sent: notice.sent, unsent: notice.unsent, given_up: notice.givenUp },
  };
}

export const program: Program = {
  name: 'notices',
  about: 'Alarms, and how they reach operators.',
  commands: [list, test],
};

if (import.meta.main) await runProgram(program);
