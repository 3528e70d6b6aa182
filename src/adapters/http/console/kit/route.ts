/** A route of the console as data: who may open it, and what it answers. */
import type { SignedIn } from '../../../../app/accounts/accounts.ts';
import type { Desk } from '../../../../app/console/merchant-desk.ts';
import type { OperatorSeat } from '../../../../app/console/operator-desk.ts';
import type { MerchantPermission, OperatorPermission } from '../../../../domain/accounts/role.ts';
import type { Actor } from '../../../../domain/audit/audit-entry.ts';
import type { Environment } from '../../../../domain/environment.ts';
import type { PathParams } from '../../kit/path.ts';
import type { Access } from './access.ts';
import type { Form } from './form.ts';
import type { Shell } from './shell.ts';

/** What every route gets. */
export interface OpenCall {
  readonly request: Request;
  readonly params: PathParams;
  readonly query: URLSearchParams;
  /** Of a POST; empty for a GET. */
  readonly form: Form;
  readonly now: Date;
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** Makes pages and answers. */
  readonly shell: Shell;
}

/** Somebody is signed in, perhaps without the second factor yet. */
export interface AccountCall extends OpenCall {
  readonly signedIn: SignedIn;
  readonly actor: Actor;
}

export interface MerchantCall extends AccountCall {
  /** Whose request it is, at the merchant and in the environment of the path. */
  readonly desk: Desk;
  readonly environment: Environment;
  /** Path of the merchant's console in this environment: `/console/m/<id>/live`. */
  readonly base: string;
}

export interface OperatorCall extends AccountCall {
  readonly seat: OperatorSeat;
  /** `/console/o`. */
  readonly base: string;
}

type Answered = Response | Promise<Response>;

interface Address {
  readonly method: 'GET' | 'POST';
  /** Below the console, `/sign-in`; merchants' routes below `/m/:merchant/:environment`. */
  readonly path: string;
}

export type ConsoleRoute =
  | (Address & { readonly access: { readonly of: 'open' }; answer(call: OpenCall): Answered })
  | (Address & {
      readonly access: { readonly of: 'second_factor' | 'account' };
      answer(call: AccountCall): Answered;
    })
  | (Address & {
      readonly access: Extract<Access, { of: 'merchant' }>;
      answer(call: MerchantCall): Answered;
    })
  | (Address & {
      readonly access: Extract<Access, { of: 'operator' }>;
      answer(call: OperatorCall): Answered;
    });

/** A route for anybody. */
export function open(
  method: 'GET' | 'POST',
  path: string,
  answer: (call: OpenCall) => Answered,
): ConsoleRoute {
  return { access: { of: 'open' }, method, path, answer };
}

/** A route for everybody who is signed in, also without a second factor yet. */
export function ofAccount(
  method: 'GET' | 'POST',
  path: string,
  answer: (call: AccountCall) => Answered,
): ConsoleRoute {
  return { access: { of: 'account' }, method, path, answer };
}

/** A route between password and second factor, or before money moves. */
export function ofSecondFactor(
  method: 'GET' | 'POST',
  path: string,
  answer: (call: AccountCall) => Answered,
): ConsoleRoute {
  return { access: { of: 'second_factor' }, method, path, answer };
}

/** Routes of a merchant's console. Paths are below `/m/:merchant/:environment`. */
export function ofMerchant(
  permission: MerchantPermission,
  method: 'GET' | 'POST',
  path: string,
  answer: (call: MerchantCall) => Answered,
): ConsoleRoute {
  return { access: { of: 'merchant', permission }, method, path: `/m/:merchant/:environment${path}`, answer };
}

/** Routes of the operators' console. Paths are below `/o`. */
export function ofOperator(
  permission: OperatorPermission,
  method: 'GET' | 'POST',
  path: string,
  answer: (call: OperatorCall) => Answered,
): ConsoleRoute {
  return { access: { of: 'operator', permission }, method, path: `/o${path}`, answer };
}
