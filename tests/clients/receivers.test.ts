/**
 * The receivers that the docs show, as they stand but for their port: what they take, and that
 * nobody signs with a secret that is not there.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { freePort } from '../../src/adapters/embedded-postgres/free-port.ts';
import { hmacSigner } from '../../src/adapters/webhooks/hmac-signer.ts';
import { needs } from '../support/runtime/needs.ts';
import { until } from '../support/runtime/poll.ts';

const ROOT = join(import.meta.dir, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'quittance-receivers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [SECRET, OTHER] = [`whsec_${btoa('a'.repeat(32))}`, `whsec_${btoa('b'.repeat(32))}`];
const BODY = '{"order_id":"01","status":"success","extra":"é"}';

/** One of docs/receivers, once it answers or has ended. */
async function running(kind: string, command: (file: string, port: number) => string[], secret?: string) {
  const port = freePort();
  const file = join(folder, `receiver-${port}.${kind}`);
  const source = readFileSync(join(ROOT, 'docs', 'receivers', `receiver.${kind}`), 'utf8');
  const client = JSON.stringify(join(ROOT, 'clients', 'typescript', 'src', 'quittance.ts'));
  await Bun.write(file, source.replace('9000', String(port)).replace("'quittance'", client));
  const { WEBHOOK_SECRET: _, ...env } = process.env;
  const process_ = Bun.spawn(command(file, port), {
    env: secret === undefined ? env : { ...env, WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  /** The status of its answer; null while none comes. */
  const send = (headers: Record<string, string>, body = BODY): Promise<number | null> =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers }).then(
      ({ status }) => status,
      () => null,
    );
  await until(`${kind} answers, or has ended`, 20_000, async () => {
    return process_.exitCode !== null || (await send({})) !== null;
  });
  const stop = async () => {
    process_.kill();
    await process_.exited;
  };
  return { send, stop };
}

function signed(secrets: readonly string[], sentAt = Date.now()): Record<string, string> {
  const at = new Date(sentAt);
  return {
    'webhook-id': 'd1',
    'webhook-timestamp': String(Math.floor(sentAt / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign('d1', at, BODY)).join(' '),
  };
}

/** Of a receiver whose secret is empty. */
function forged(): Record<string, string> {
  const unixSeconds = Math.floor(Date.now() / 1000);
  const body = new TextEncoder().encode(BODY);
  return {
    ...signed([OTHER]),
    'webhook-signature': hmacSigner.signStandard({ id: 'd1', unixSeconds, body }, 'whsec_'),
  };
}

describe.each([
  ['ts', 'bun', (file: string) => [process.execPath, file]],
  ['py', 'python3', (file: string) => ['python3', file]],
  ['php', 'php', (file: string, port: number) => ['php', '-S', `127.0.0.1:${port}`, file]],
] as const)('receiver.%s', (kind, program, command) => {
  const ready = program === 'bun' || needs(program, Bun.which(program) !== null);

  test.skipIf(!ready)('takes what is signed with its secret, and near its time', async () => {
    const { send, stop } = await running(kind, command, SECRET);
    // Further than the five minutes that are near, by more than a request takes.
    const far = 310_000;
    try {
      expect(await send(signed([SECRET]))).toBe(200);
      expect(await send(signed([OTHER, SECRET]))).toBe(200);
      expect(await send(signed([SECRET, OTHER]))).toBe(200);
      expect(await send(signed([OTHER]))).toBe(401);
      expect(await send(signed([SECRET]), BODY.replace('01', '02'))).toBe(401);
      for (const at of [Date.now() - far, Date.now() + far])
        expect(await send(signed([SECRET], at))).toBe(401);
      expect(await send({ ...signed([SECRET]), 'webhook-id': 'd2' })).toBe(401);
      expect(await send({ ...signed([SECRET]), 'webhook-timestamp': 'x' })).toBe(401);
      expect(await send({})).toBe(401);
    } finally {
      await stop();
    }
  });

  test.skipIf(!ready)('takes nothing without a secret, since anybody could sign with none', async () => {
    const without = [undefined, 'whsec_'].map(async (secret) => {
      const { send, stop } = await running(kind, command, secret);
      return send(forged()).finally(stop);
    });
    expect(await Promise.all(without)).not.toContain(200);
  });
});
