/**
 * `bun run treasury`: where the money is, sweeps and forwards on demand, giving them up, where to
 * send gas and liquidity, and booking the operator's own money.
 */
import { type GasForVoid, gasForVoid, giveUpSweep } from '../src/app/sweeps/give-up-sweep.ts';
import { requestSweeps } from '../src/app/sweeps/plan-sweeps.ts';
import { thawAddress } from '../src/app/treasury/treasury.ts';
import { treasuryChains } from '../src/compose/treasury.ts';
import { formatUnits } from '../src/domain/money/decimal.ts';
import type { OutgoingTransfer } from '../src/domain/sending/outgoing.ts';
import { ChainUnavailable } from '../src/ports/chains/chain-scanner.ts';
import { book } from './support/booking.ts';
import { orRefuse, UsageError } from './support/failures.ts';
import { forward, giveUpForwardOf } from './support/forwards.ts';
import { adopt } from './support/parked.ts';
import { type Command, type CommandContext, type Program, runProgram } from './support/program.ts';
import { table } from './support/table.ts';
import { lookAt, statusJson, statusText, topupJson, topupText } from './support/treasury.ts';
import { chosen, known } from './support/treasury-chains.ts';
import { assetKey, chainName, id } from './support/values.ts';

const CHAIN_OPTION = { value: 'CHAIN', help: 'only this chain (default: all that have a node)' };

const status: Command = {
  name: 'status',
  about:
    'Shows the balances of hot wallets and deposit addresses, transfers on their way, waiting payouts, how much money these lack, and whether signing is stopped.',
  audits: [],
  positionals: [],
  options: { chain: CHAIN_OPTION },
  examples: ['', '--chain ethereum --json'],
  read(args) {
    const chain = args.read('chain', chainName);
    return async (context) => {
      await context.service.refreshRates();
      const found = await lookAt(context, chosen(context, chain));
      const { catalog } = context.service.dependencies;
      return { json: statusJson(found, catalog), text: statusText(found, catalog) };
    };
  },
};

const sweep: Command = {
  name: 'sweep',
  about:
    'Plans sweeps of deposit addresses to the hot wallet, whatever they cost. A running worker carries them out: it sends gas where a token needs it, waits until that is final, and moves the money. Only credited and final money moves. An address with a held or rejected payment is not swept.',
  audits: ['sweep.requested'],
  positionals: [],
  options: {
    chain: CHAIN_OPTION,
    asset: { value: 'ASSET', help: 'only this asset, usdt_ethereum for example' },
    address: { value: 'ADDRESS', help: 'only this deposit address; needs --chain' },
  },
  examples: ['--chain ethereum', '--chain ethereum --asset usdt_ethereum'],
  read(args) {
    const { asset, chain: ofAsset } = args.read('asset', assetKey) ?? { asset: null, chain: null };
    const given = args.read('chain', chainName);
    const address = args.text('address');
    if (given !== null && ofAsset !== null && given !== ofAsset)
      throw new UsageError(`--asset ${asset} is not on ${given}`);
    const chain = given ?? ofAsset;
    if (address !== null && chain === null) throw new UsageError('--address needs --chain');
    return async (context) => {
      const { dependencies } = context.service;
      if (asset !== null) known(dependencies.catalog, asset);
      const planned = [];
      for (const on of chosen(context, chain)) {
        const normalized = address === null ? null : on.deriver.normalize(address);
        if (address !== null && normalized === null)
          throw new UsageError(`--address must be an address of ${on.chain}, got "${address}"`);
        const note = [on.chain, asset, normalized].filter((part) => part !== null).join(' ');
        const rows = await context.act({ action: 'sweep.requested', subject: 'sweep', note }, (deps) =>
          requestSweeps(deps, on, { asset, address: normalized }),
        );
        for (const row of rows)
          planned.push({
            chain: on.chain,
            address: row.address,
            asset: row.asset,
            amount: formatUnits(row.units, dependencies.catalog.require(row.asset).decimals),
          });
      }
      const rows = table(
        [
          { title: 'CHAIN', cell: (row) => row.chain },
          { title: 'ADDRESS', cell: (row) => row.address },
          { title: 'AMOUNT', align: 'right', cell: (row) => row.amount },
          { title: 'ASSET', cell: (row) => row.asset },
        ],
        planned,
        { empty: 'nothing to sweep: no address has money that is credited, final and not on its way' },
      );
      return {
        json: { planned },
        text: planned.length === 0 ? rows : `${rows}\n\nplanned; a running worker carries them out`,
      };
    };
  },
};

const giveup: Command = {
  name: 'giveup',
  about:
    'Gives up a sweep that cannot end, after a deep reorganisation for example, or one transfer of it: the money, its gas or its energy. By the id of its transfer also a forward. A running worker uses up the nonce of the transfer with a transaction that moves nothing, since later ones wait for it. The sending wallet needs gas for that. The money stays at the address until you sweep it.',
  audits: ['sweep.given_up', 'forward.given_up'],
  positionals: ['sweep_or_transfer_id'],
  options: {},
  examples: ['6650a1b2c3d4e5f6a7b8c9d0'],
  read(args) {
    const given = args.readPositional('sweep_or_transfer_id', id);
    return async (context) => {
      const forwarded = await giveUpForwardOf(context, given);
      if (forwarded !== null) return forwarded;
      const { dependencies } = context.service;
      const { sweep, transfer } = orRefuse(
        await context.act({ action: 'sweep.given_up', subject: 'sweep', id: given }, (deps) =>
          giveUpSweep(deps)(given),
        ),
      );
      const gas = transfer === null ? null : await gasOf(context, transfer);
      const shown = (units: bigint, asset: string) =>
        formatUnits(units, dependencies.catalog.require(asset).decimals);
      const json = {
        sweep_id: sweep.id,
        status: sweep.status,
        transfer: transfer && {
          transfer_id: transfer.id,
          purpose: transfer.purpose,
          wallet: transfer.wallet,
          nonce: String(transfer.nonce),
        },
        gas: gas && {
          asset: gas.asset,
          has: shown(gas.hasUnits, gas.asset),
          needs_about: shown(gas.neededUnits, gas.asset),
          lacking: gas.hasUnits < gas.neededUnits,
        },
      };
      if (transfer === null)
        return { json, text: `sweep ${sweep.id} is given up: nothing of it was on its way` };
      const { wallet, nonce, chain } = transfer;
      const lines = [
        `sweep ${sweep.id} is given up: a transaction that moves nothing uses nonce ${nonce} of ${wallet} on ${chain}; a running worker sends it`,
      ];
      if (gas === null) lines.push(`no node of ${chain} answers whether the wallet has gas for that`);
      else if (gas.hasUnits < gas.neededUnits)
        lines.push(
          `IT LACKS GAS: it has ${shown(gas.hasUnits, gas.asset)} ${gas.asset} and needs about ${shown(gas.neededUnits, gas.asset)}. Send that to ${wallet}; until then the nonce stays open`,
        );
      return { json, text: lines.join('\n') };
    };
  },
};

/** Null when no node can tell. */
async function gasOf({ service }: CommandContext, transfer: OutgoingTransfer): Promise<GasForVoid | null> {
  const on = treasuryChains(service.chains, service.dependencies).get(transfer.chain);
  try {
    return on === undefined ? null : await gasForVoid(service.dependencies, on, transfer);
  } catch (error) {
    if (error instanceof ChainUnavailable) return null;
    throw error;
  }
}

const topup: Command = {
  name: 'topup',
  about:
    'Shows where to send money from outside. It sends nothing itself. It prints the hot wallet of each chain, what it has, and what waiting payouts lack there. Book what arrives with bun run treasury book. Deposit addresses need no gas from you: each sweep brings its own.',
  audits: [],
  positionals: [],
  options: { chain: CHAIN_OPTION },
  examples: ['', '--chain ethereum'],
  read(args) {
    const chain = args.read('chain', chainName);
    return async (context) => {
      const found = await lookAt(context, chosen(context, chain));
      const { catalog } = context.service.dependencies;
      return { json: topupJson(found, catalog), text: topupText(found, catalog) };
    };
  },
};

const thaw: Command = {
  name: 'thaw',
  about:
    'Lets a frozen address be swept again. An address is frozen when its owner changes on the chain (Tron permissions), since somebody else may then spend from it. First make sure that only our key has its permissions.',
  audits: ['address.unfrozen'],
  positionals: [],
  options: {
    chain: { value: 'CHAIN', required: true, help: 'the chain' },
    address: { value: 'ADDRESS', required: true, help: 'the frozen deposit address' },
  },
  examples: ['--chain tron --address TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL'],
  read(args) {
    const chain = args.readNeeded('chain', chainName);
    const given = args.text('address') ?? '';
    return async (context) => {
      const [on] = chosen(context, chain);
      const address = on.deriver.normalize(given);
      if (address === null) throw new UsageError(`--address must be an address of ${chain}, got "${given}"`);
      const action = { action: 'address.unfrozen', subject: 'address', id: `${chain}:${address}` } as const;
      orRefuse(await context.act(action, (deps) => thawAddress(deps)({ chain, address })));
      return { json: { chain, address }, text: `${address} on ${chain} is swept again` };
    };
  },
};

export const program: Program = {
  name: 'treasury',
  about: 'The money in our wallets: hot wallets, deposit addresses, and transfers between them.',
  commands: [status, sweep, giveup, forward, adopt, topup, book, thaw],
};

if (import.meta.main) await runProgram(program);
