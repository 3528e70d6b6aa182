/**
 * `bun run merchant rotate-key`, `webhook-secret` and `end-overlap`: a merchant's keys and secrets,
 * and their rotation.
 */
import { endOverlap, rotateKey } from '../../src/app/merchants/manage-merchants.ts';
import {
  endSecretOverlap,
  rotateWebhookSecret,
  showWebhookSecret,
} from '../../src/app/merchants/webhook-secrets.ts';
import type { Environment } from '../../src/domain/environment.ts';
import { OVERLAP_SECONDS } from '../../src/domain/merchants/key-overlap.ts';
import { orRefuse, UsageError } from './failures.ts';
import type { Command } from './program.ts';
import { facts, shownTime } from './table.ts';
import { id, oneOf, overlapSeconds } from './values.ts';

const ENVIRONMENT = { value: 'live|sandbox', required: true, help: 'environment of the key' } as const;
const environmentName = oneOf<Environment>(['live', 'sandbox']);
const ENDS_NOW = 'within 5 seconds';

/** What entries about a merchant's keys or secrets have. */
function ofMerchant<Of extends 'api_key' | 'webhook_secret'>(
  subject: Of,
  merchantId: string,
  environment: Environment,
) {
  return { subject, id: merchantId, merchantId, note: environment };
}

export const rotate: Command = {
  name: 'rotate-key',
  about:
    'Issues another API key and prints it. The older key works for a while: both open the API, and webhooks carry both signatures. At most two keys are valid: a further rotation ends the oldest immediately.',
  audits: ['api_key.rotated'],
  positionals: ['merchant_id'],
  options: {
    environment: ENVIRONMENT,
    overlap: {
      value: 'TIME',
      help: 'how long the older key works: 90m, 24h (default), 7d; 0 ends it immediately, for a stolen key',
    },
  },
  examples: [
    '65f0c1d2e3a4b5c6d7e8f901 --environment live',
    '65f0c1d2e3a4b5c6d7e8f901 --environment live --overlap 0',
  ],
  read(args) {
    const merchantId = args.readPositional('merchant_id', id);
    const environment = args.readNeeded('environment', environmentName);
    const overlap = args.read('overlap', overlapSeconds) ?? OVERLAP_SECONDS;
    const action = { ...ofMerchant('api_key', merchantId, environment), action: 'api_key.rotated' };
    return async ({ act }) => {
      const made = orRefuse(await act(action, (deps) => rotateKey(deps)(merchantId, environment, overlap)));
      const { key, olderUntil, ended } = made;
      return {
        json: {
          ...{ merchant_id: merchantId, environment, key },
          old_key_until: unixSeconds(olderUntil),
          keys_ended: ended,
        },
        text: facts([
          [`${environment} key`, key],
          ...(olderUntil === null ? [] : livingOn(olderUntil, merchantId, environment)),
          ...(ended === 0 ? [] : [endedNow(ended, olderUntil !== null)]),
        ]),
      };
    };
  },
};

export const unixSeconds = (at: Date | null): number | null =>
  at === null ? null : Math.floor(at.getTime() / 1000);

type KeyFact = readonly [name: string, value: string];

function livingOn(until: Date, merchantId: string, environment: Environment): readonly KeyFact[] {
  return [
    ['old key', `lives until ${shownTime(until)}`],
    ['', `ended by: bun run merchant end-overlap ${merchantId} --environment ${environment} (or --in TIME)`],
    ['webhooks', 'X-Service-Signature is by the old key until the first API call with the new one;'],
    ['', 'X-Service-Signature-Previous is by the other of the two'],
  ];
}

/** The key before the new one has ended too, unless it is still valid. */
function endedNow(ended: number, oldLivesOn: boolean): KeyFact {
  if (oldLivesOn) return ['oldest key', `ends ${ENDS_NOW}: at most two live at once`];
  return ended === 1 ? ['old key', `ends ${ENDS_NOW}`] : ['old keys', `both end ${ENDS_NOW}`];
}

export const webhookSecret: Command = {
  name: 'webhook-secret',
  about:
    'Prints the webhook secret, with which receivers check the signatures of Standard Webhooks. --rotate creates a new one; both sign for a while.',
  audits: ['webhook_secret.shown', 'webhook_secret.rotated'],
  positionals: ['merchant_id'],
  options: {
    environment: ENVIRONMENT,
    rotate: { help: 'create a new secret' },
    overlap: {
      value: 'TIME',
      help: 'with --rotate: how long the older secret signs: 90m, 24h (default), 7d; 0 ends it immediately, for a stolen secret',
    },
  },
  examples: [
    '65f0c1d2e3a4b5c6d7e8f901 --environment live',
    '65f0c1d2e3a4b5c6d7e8f901 --environment live --rotate --overlap 0',
  ],
  read(args) {
    const merchantId = args.readPositional('merchant_id', id);
    const environment = args.readNeeded('environment', environmentName);
    const overlap = args.read('overlap', overlapSeconds);
    const rotates = args.isSet('rotate');
    if (overlap !== null && !rotates) throw new UsageError('--overlap belongs to --rotate');
    const of = ofMerchant('webhook_secret', merchantId, environment);
    const action = { ...of, action: rotates ? 'webhook_secret.rotated' : 'webhook_secret.shown' };
    return async ({ act }) => {
      const { secret, olderUntil } = orRefuse(
        await act(action, (deps) =>
          rotates
            ? rotateWebhookSecret(deps)(merchantId, environment, overlap ?? OVERLAP_SECONDS)
            : showWebhookSecret(deps)(merchantId, environment),
        ),
      );
      return {
        json: {
          ...{ merchant_id: merchantId, environment, webhook_secret: secret },
          old_secret_until: unixSeconds(olderUntil),
        },
        text: facts([
          [`${environment} webhook secret`, secret],
          ...(olderUntil === null ? [] : signingOn(olderUntil, merchantId, environment)),
        ]),
      };
    };
  },
};

function signingOn(until: Date, merchantId: string, environment: Environment): readonly KeyFact[] {
  const command = `merchant end-overlap ${merchantId} --environment ${environment} --webhook-secret`;
  return [
    ['old secret', `webhooks are signed with it, too, until ${shownTime(until)}`],
    ['', `ended by: bun run ${command} (or --in TIME)`],
  ];
}

export const endOverlapCommand: Command = {
  name: 'end-overlap',
  about: 'Ends the older API key or the older webhook secret: now, or at another time.',
  audits: ['api_key.overlap_ended', 'webhook_secret.overlap_ended'],
  positionals: ['merchant_id'],
  options: {
    environment: ENVIRONMENT,
    'webhook-secret': { help: 'the older webhook secret instead of the older API key' },
    in: { value: 'TIME', help: 'time from now: 90m, 24h, 7d (default 0: now)' },
  },
  examples: [
    '65f0c1d2e3a4b5c6d7e8f901 --environment live',
    '65f0c1d2e3a4b5c6d7e8f901 --environment live --in 24h',
    '65f0c1d2e3a4b5c6d7e8f901 --environment live --webhook-secret',
  ],
  read(args) {
    const merchantId = args.readPositional('merchant_id', id);
    const environment = args.readNeeded('environment', environmentName);
    const seconds = args.read('in', overlapSeconds) ?? 0;
    const [what, subject, end] = args.isSet('webhook-secret')
      ? (['webhook secret', 'webhook_secret', endSecretOverlap] as const)
      : (['key', 'api_key', endOverlap] as const);
    const action = { ...ofMerchant(subject, merchantId, environment), action: `${subject}.overlap_ended` };
    return async ({ act }) => {
      const { ends, until } = orRefuse(
        await act(action, (deps) => end(deps)(merchantId, environment, seconds)),
      );
      const when = until === null ? ENDS_NOW : `at ${shownTime(until)}`;
      return {
        json: { merchant_id: merchantId, environment, ends, until: unixSeconds(ends ? until : null) },
        text: ends
          ? `The older ${environment} ${what} ends ${when}.`
          : `There is no older ${environment} ${what}.`,
      };
    };
  },
};
