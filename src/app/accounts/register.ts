/**
 * Registration: a link by e-mail makes a merchant and its owner. The answer, the work and the
 * e-mail are the same for an address that has a user. Strangers choose the address, so the e-mail
 * holds nothing that they wrote, and there are bounds by address, by network and of all.
 */
import {
  networkOf,
  REGISTRATION_ADDRESS_RULE,
  REGISTRATION_NETWORK_RULE,
  REGISTRATIONS_RULE,
} from '../../domain/accounts/throttle.ts';
import { displayName, MERCHANT_NAME_LENGTH_MAX, normalizedEmail } from '../../domain/accounts/user.ts';
import { err, ok } from '../../domain/result.ts';
import type { MailMessage } from '../../ports/mails/mailer.ts';
import type { Accounts } from './accounts.ts';
import { changing } from './changing.ts';
import type { AccountParts } from './dependencies.ts';
import { madeLink } from './invite.ts';
import { beginTry } from './sign-in/counted-tries.ts';

export function register(deps: AccountParts): Accounts['register'] {
  return async ({ email: typed, merchantName: typedName }, { ip }) => {
    const { registrationMailer: mailer } = deps;
    if (mailer === null) return err('registration_closed');
    const email = normalizedEmail(typed);
    if (email === null) return err('email_malformed');
    const merchantName = displayName(typedName, MERCHANT_NAME_LENGTH_MAX);
    if (merchantName === null) return err('name_missing');
    const waitSeconds = await beginTry(deps, [
      { name: `register ${email}`, rule: REGISTRATION_ADDRESS_RULE },
      { name: `register from ${networkOf(ip)}`, rule: REGISTRATION_NETWORK_RULE },
      { name: 'register', rule: REGISTRATIONS_RULE },
    ]);
    if (waitSeconds !== null) {
      deps.logger.warn('account.registration_held', { waitSeconds });
      return ok(undefined);
    }
    const actor = { kind: 'system', userId: null, name: 'registration', ip } as const;
    const made = await changing(deps, (repositories) =>
      madeLink(deps, repositories, actor, {
        ...{ kind: 'registration', email, merchantId: null, merchantName, role: null },
        refundLimitMicroUsd: null,
      }),
    );
    // Nobody waits for the mail server: whoever gets no e-mail asks once more.
    if (made.ok) void mailer.send(mailOf(deps.ids.id(), email, made.value.url));
    return ok(undefined);
  };
}

function mailOf(id: string, to: string, url: string): MailMessage {
  const [before, after] = [
    'Somebody, probably you, asked to open an account for payments with this address. The link opens it:',
    'It works once, for a day. If it was not you, ignore this e-mail: nothing happens.',
  ];
  return {
    ...{ id, to, replyTo: null, attachments: [], subject: 'Your link to open an account' },
    text: `${before}\n\n${url}\n\n${after}\n`,
    html: `<p>${before}</p><p><a href="${url}">${url}</a></p><p>${after}</p>`,
  };
}
