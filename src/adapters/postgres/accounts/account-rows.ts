/** The columns of accounts as the domain has them. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import {
  invitations as i,
  memberships as m,
  passkeys as p,
  sessions as s,
  users as u,
} from '../schema/console/accounts.ts';

const {
  isOperator: _,
  passwordHash: __,
  codesSealed: ___,
  codesStep: ____,
  sponsors: ________,
  ...USER_COLUMNS
} = getTableColumns(u);
/** Without secrets. */
export const USER = USER_COLUMNS;
export const STORED_USER = {
  ...USER,
  ...{ passwordHash: u.passwordHash, codesSealed: u.codesSealed, sponsors: u.sponsors },
};
const { tokenHash: _____, ...SESSION_COLUMNS } = getTableColumns(s);
export const SESSION = SESSION_COLUMNS;
const { tokenHash: ______, ...INVITATION_COLUMNS } = getTableColumns(i);
export const INVITATION = INVITATION_COLUMNS;
export const PASSKEY = getTableColumns(p);
const { isOperator: _______, ...STORED_MEMBERSHIP_COLUMNS } = getTableColumns(m);
export const STORED_MEMBERSHIP = STORED_MEMBERSHIP_COLUMNS;
const { sponsors: _________, ...MEMBERSHIP_COLUMNS } = STORED_MEMBERSHIP;
export const MEMBERSHIP = MEMBERSHIP_COLUMNS;

/** Whether the user of the row has any second factor. */
export function hasSecondFactor(): SQL<boolean> {
  return sql<boolean>`(${u.codesSealed} is not null
    or exists (select from ${p} where ${p.userId} = ${u.id}))`;
}
