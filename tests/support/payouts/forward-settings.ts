/** Thresholds, and the signer's policy, which a test writes when it knows the cold address. */

import { expect } from 'bun:test';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutgoingTransfer } from '../../../src/domain/sending/outgoing.ts';
import type { MoreSettings, TestService } from '../test-service.ts';

export interface ForwardSettings extends Required<MoreSettings> {
  readonly assets: readonly string[];
  policy(content: unknown): void;
  remove(): void;
}

export function forwardSettings(
  rules: Readonly<Record<string, { above: string; keep: string }>>,
): ForwardSettings {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-policy-'));
  const path = join(folder, 'policy.json');
  const policy = (content: unknown): void => {
    writeFileSync(`${path}.new`, JSON.stringify(content));
    renameSync(`${path}.new`, path);
  };
  policy({});
  return {
    assets: Object.keys(rules),
    env: { SIGNER_POLICY: path },
    file: { treasury: { forward: rules } },
    policy,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Reconciles a service's chains, and looks what of this one is to be forwarded. */
export async function lookForForwards(it: TestService, chain: string): Promise<void> {
  await it.run('reconcile');
  await it.run(`forward:${chain}`);
}

/** Looks, sends and mines until the one forward of the asset is settled. */
export async function forwardOnce(
  it: TestService,
  of: { chain: string; asset: string },
  mine: () => Promise<void>,
): Promise<OutgoingTransfer> {
  const newest = () =>
    it.service.dependencies.unitOfWork.run(({ outgoing }) => outgoing.newestForwards(of.asset, 5));
  await lookForForwards(it, of.chain);
  expect(await newest()).toMatchObject([{ status: 'allocated' }]);
  for (let round = 0; round < 12 && (await newest())[0]?.status !== 'confirmed'; round += 1) {
    await it.settle();
    await mine();
    await lookForForwards(it, of.chain);
  }
  const [forward, ...others] = await newest();
  expect(others).toEqual([]);
  expect(forward).toMatchObject({ status: 'confirmed' });
  return forward!;
}
