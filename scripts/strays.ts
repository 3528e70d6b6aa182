/** `bun run strays`: received money that belongs to no invoice. */
import { creditStray } from '../src/app/deposits/unmatched-deposits.ts';
import { depositJson, depositLine, depositList } from './support/deposits.ts';
import { orRefuse } from './support/failures.ts';
import { assign, parkedList } from './support/parked.ts';
import { type Command, type Program, runProgram } from './support/program.ts';
import { id } from './support/values.ts';

const list: Command = {
  name: 'list',
  about:
    'Lists unmatched deposits: late payments, wrong assets, payments to addresses that are no longer used, and XRP without a destination tag of ours.',
  positionals: [],
  options: {},
  examples: ['', '--json'],
  read: () => async (context) => {
    const strays = await depositList(context, ['stray'], 'no stray deposits');
    const parked = await parkedList(context);
    const text = [strays.text, ...(parked.text === '' ? [] : [parked.text])].join('\n\n');
    return { json: { ...(strays.json as object), untagged: parked.json }, text };
  },
};

const credit: Command = {
  name: 'credit',
  about:
    'Credits an unmatched deposit to the merchant whose address it was paid to, less the commission. No invoice becomes paid, and no webhook is sent.',
  positionals: ['deposit_id'],
  options: {},
  examples: ['65f0c1d2e3a4b5c6d7e8f901'],
  read(args) {
    const depositId = args.readPositional('deposit_id', id);
    return async ({ service }) => {
      await service.refreshRates();
      const deposit = orRefuse(await creditStray(service.dependencies)(depositId));
      const { catalog } = service.dependencies;
      return { json: depositJson(deposit, catalog), text: depositLine(deposit, catalog) };
    };
  },
};

export const program: Program = {
  name: 'strays',
  about: 'Unmatched deposits: money at our addresses that belongs to no open invoice.',
  commands: [list, credit, assign],
};

if (import.meta.main) await runProgram(program);
