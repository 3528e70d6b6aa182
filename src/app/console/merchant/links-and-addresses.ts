/** Payment links and permanent addresses of a merchant's console. */
import type { Application } from '../../application.ts';
import { idIn } from '../../audit/audited.ts';
import type { AppDependencies } from '../../dependencies.ts';
import { deactivateAddress } from '../../invoices/permanent-addresses.ts';
import { changePaymentLink, createPaymentLink } from '../../links/manage-links.ts';
import { recordDone } from '../desk-actions.ts';
import type { MerchantDesk } from '../merchant-desk.ts';
import { actionAt, auditedAt, barred } from './desk-parts.ts';

type Actions = Pick<
  MerchantDesk,
  'createLink' | 'changeLink' | 'getPermanentAddress' | 'deactivatePermanentAddress'
>;

export function linkAndAddressActions(deps: AppDependencies, application: Application): Actions {
  return {
    createLink: (by, input) =>
      barred(by, () => {
        const action = { action: 'link.created', subject: 'link', subjectId: null } as const;
        return createPaymentLink(auditedAt(deps, by, action, idIn()))(by.caller.scope, input);
      }),

    changeLink: (by, linkId, change) =>
      barred(by, () => {
        const action = { action: 'link.changed', subject: 'link', subjectId: linkId } as const;
        return changePaymentLink(auditedAt(deps, by, action))(by.caller.scope, linkId, change);
      }),

    getPermanentAddress: (by, input) =>
      barred(by, async () => {
        const asked = deps.clock.now();
        const found = await application.getPermanentAddress(by.caller, input);
        // One that was there before was only read.
        if (found.ok && found.value.createdAt >= asked) {
          const action = { action: 'permanent_address.created', subject: 'permanent_address' } as const;
          await recordDone(deps, by.actor, actionAt(by, { ...action, subjectId: found.value.id }));
        }
        return found;
      }),

    deactivatePermanentAddress: (by, id) =>
      barred(by, () => {
        const action = { action: 'permanent_address.deactivated', subject: 'permanent_address' } as const;
        return deactivateAddress(auditedAt(deps, by, { ...action, subjectId: id }))(by.caller.scope, id);
      }),
  };
}
