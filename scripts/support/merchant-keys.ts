/** `bun run merchant rotate-key` and `end-overlap`: another API key for a merchant, and the end of the one before it. */
import { endOverlap, rotateKey } from '../../src/app/manage-merchants.ts';
import { OVERLAP_SECONDS } from '../../src/domain/key-overlap.ts';
import type { Environment } from '../../src/domain/merchant.ts';
import { orRefuse } from './failures.ts';
import type { Command } from './program.ts';
import { facts, shownTime } from './table.ts';
import { id, oneOf, overlapSeconds } from './values.ts';

const ENVIRONMENT = { value: 'live|sandbox', required: true, help: 'of which environment' } as const;
const environmentName = oneOf<Environment>(['live', 'sandbox']);
const ENDS_NOW = 'within 5 seconds';

export const rotate: Command = {
  name: 'rotate-key',
  about:
    'Issues another API key and prints it. The one before lives on for a while: both open the API, and webhooks are signed with both. Rotated again meanwhile, the oldest ends at once.',
  positionals: ['merchant_id'],
  options: {
    environment: ENVIRONMENT,
    overlap: {
      value: 'TIME',
      help: 'how long the key before lives on: 90m, 24h (default), 7d; 0 for a stolen key, which ends at once',
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
    return async ({ service }) => {
      const made = orRefuse(await rotateKey(service.dependencies)(merchantId, environment, overlap));
      const { key, olderUntil, ended } = made;
      return {
        json: {
          ...{ merchant_id: merchantId, environment, key },
          old_key_until: olderUntil === null ? null : Math.floor(olderUntil.getTime() / 1000),
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

type Fact = readonly [name: string, value: string];

function livingOn(until: Date, merchantId: string, environment: Environment): readonly Fact[] {
  return [
    ['old key', `lives until ${shownTime(until)}`],
    ['', `ended sooner by: bun run merchant end-overlap ${merchantId} --environment ${environment}`],
    ['webhooks', 'X-Service-Signature is by the old key until the first API call with the new one;'],
    ['', 'X-Service-Signature-Previous is by the other of the two'],
  ];
}

/** Of those that ended, the one before the new key is one, unless it lives on. */
function endedNow(ended: number, oldLivesOn: boolean): Fact {
  if (oldLivesOn) return ['oldest key', `ends ${ENDS_NOW}: at most two live at once`];
  return ended === 1 ? ['old key', `ends ${ENDS_NOW}`] : ['old keys', `both end ${ENDS_NOW}`];
}

export const endOverlapCommand: Command = {
  name: 'end-overlap',
  about: 'Ends the older API key at once, before its time.',
  positionals: ['merchant_id'],
  options: { environment: ENVIRONMENT },
  examples: ['65f0c1d2e3a4b5c6d7e8f901 --environment live'],
  read(args) {
    const merchantId = args.readPositional('merchant_id', id);
    const environment = args.readNeeded('environment', environmentName);
    return async ({ service }) => {
      const { ended } = orRefuse(await endOverlap(service.dependencies)(merchantId, environment));
      return {
        json: { merchant_id: merchantId, environment, ended },
        text: ended ? `The older ${environment} key ends ${ENDS_NOW}.` : `No older ${environment} key lives.`,
      };
    };
  },
};
