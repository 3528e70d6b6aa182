/** `bun run strays`: received money that belongs to no invoice. */
import { userInfo } from 'node:os';
import { creditStray } from '../src/app/deposits/unmatched-deposits.ts';
import { depositJson, depositLine, depositList } from './support/deposits.ts';
import { orRefuse } from './support/failures.ts';
import { assign, parkedList } from './support/parked.ts';
import { type Command, type Program, runProgram } from './support/program.ts';
import { OFFER_OPTIONS, offered, readOffer } from './support/refund-claims.ts';
import { id, operatorName } from './support/values.ts';

const list: Command = {
  name: 'list',
  about:
    'Lists unmatched deposits: late payments, wrong assets, payments to addresses that are no longer used, and XRP without a destination tag of ours.',
  audits: [],
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

const crediting = (depositId: string) =>
  ({ action: 'deposit.credited', subject: 'deposit', id: depositId }) as const;

const credit: Command = {
  name: 'credit',
  about:
    'Credits an unmatched deposit to the merchant whose address it was paid to, less the commission. No invoice becomes paid, and no webhook is sent.',
  audits: ['deposit.credited'],
  positionals: ['deposit_id'],
  options: {},
  examples: ['65f0c1d2e3a4b5c6d7e8f901'],
  read(args) {
    const depositId = args.readPositional('deposit_id', id);
    return async ({ act, service }) => {
      await service.refreshRates();
      const deposit = orRefuse(await act(crediting(depositId), (deps) => creditStray(deps)(depositId)));
      const { catalog } = service.dependencies;
      return { json: depositJson(deposit, catalog), text: depositLine(deposit, catalog) };
    };
  },
};

const offer: Command = {
  name: 'refund',
  about:
    'Offers the customer a refund of an unmatched deposit: credits it to the merchant, unless that was done, and prints a link where the customer enters an address. If nobody claims it, the merchant keeps the money.',
  audits: ['deposit.credited', 'refund.offered'],
  positionals: ['deposit_id'],
  options: {
    by: { value: 'NAME', help: 'who offers it (default: the user of this system)' },
    ...OFFER_OPTIONS,
  },
  examples: ['65f0c1d2e3a4b5c6d7e8f901 --by ann'],
  read(args) {
    const depositId = args.readPositional('deposit_id', id);
    const terms = readOffer(args);
    const operator = args.read('by', operatorName) ?? userInfo().username;
    return async (context) => {
      const { dependencies } = context.service;
      await context.service.refreshRates();
      const deposit = await dependencies.unitOfWork.run(({ deposits }) => deposits.find(depositId));
      if (deposit?.status !== 'credited')
        orRefuse(await context.act(crediting(depositId), (deps) => creditStray(deps)(depositId)));
      return offered(context, {
        ...terms,
        of: { subject: 'deposit', depositId },
        ...{ amount: null, by: { operator } },
      });
    };
  },
};

export const program: Program = {
  name: 'strays',
  about: 'Unmatched deposits: money at our addresses that belongs to no open invoice.',
  commands: [list, credit, offer, assign],
};

if (import.meta.main) await runProgram(program);
