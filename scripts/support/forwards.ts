/** `bun run treasury forward`, and giving a forward up. */
import { giveUpForward, requestForward } from '../../src/app/treasury/forwards/operate-forwards.ts';
import { orRefuse, Refused, UsageError } from './failures.ts';
import type { Command, CommandContext, CommandReport } from './program.ts';
import { assetKey, chainName } from './values.ts';

export const forward: Command = {
  name: 'forward',
  about:
    "Plans a forward to the cold address now, though the hot wallet may have less than the threshold. A running worker carries it out: what payouts and gas need stays, and what `treasury.forward` keeps. It waits for a day at most while something bars it. The signer's policy says where it goes.",
  audits: ['forward.requested'],
  positionals: [],
  options: {
    chain: { value: 'CHAIN', help: 'the assets of this chain that have a threshold' },
    asset: { value: 'ASSET', help: 'only this asset, usdt_tron for example' },
  },
  examples: ['--asset usdt_tron', '--chain ethereum'],
  read(args) {
    const { asset, chain: ofAsset } = args.read('asset', assetKey) ?? { asset: null, chain: null };
    const chain = args.read('chain', chainName);
    if (asset === null && chain === null) throw new UsageError('name an --asset or a --chain');
    if (chain !== null && ofAsset !== null && chain !== ofAsset)
      throw new UsageError(`--asset ${asset} is not on ${chain}`);
    return async ({ service, act }) => {
      const { dependencies, config } = service;
      const planned = Object.keys(config.treasury.forward)
        .map((key) => ({ asset: key, chain: dependencies.catalog.require(key).chain }))
        .filter((one) => (asset === null || one.asset === asset) && (chain === null || one.chain === chain));
      if (planned.length === 0)
        throw new Refused({
          code: 'NOT_FOUND',
          message: `treasury.forward of CONFIG_FILE has no threshold for ${asset ?? chain}`,
        });
      for (const one of planned)
        await act({ action: 'forward.requested', subject: 'forward', note: one.asset }, (deps) =>
          requestForward(deps, one),
        );
      const names = planned.map((one) => one.asset).join(', ');
      return { json: { planned }, text: `planned for ${names}; a running worker carries it out` };
    };
  },
};

/** Null where the id is not of a forward's transfer. */
export async function giveUpForwardOf(
  { service, act }: CommandContext,
  id: string,
): Promise<CommandReport | null> {
  const named = await service.dependencies.unitOfWork.run(({ outgoing }) => outgoing.find([id]));
  if (named[0]?.purpose !== 'forward') return null;
  const given = await act({ action: 'forward.given_up', subject: 'forward', id }, (deps) =>
    giveUpForward(deps)(id),
  );
  const { chain, wallet, nonce, purpose } = orRefuse(given);
  return {
    json: {
      sweep_id: null,
      status: null,
      transfer: { transfer_id: id, purpose, wallet, nonce: String(nonce) },
      gas: null,
    },
    text: `forward ${id} is given up: it is mined all the same, or nothing of it is. A running worker makes sure that nonce ${nonce} of ${wallet} on ${chain} holds nothing up`,
  };
}
