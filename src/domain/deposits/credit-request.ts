/**
 * A merchant asks the operator to credit an unmatched deposit to an address of its own: requested,
 * then granted or declined. What was declined may be asked for again. Pure.
 */

export const CREDIT_REQUEST_STATUSES = ['requested', 'granted', 'declined'] as const;
export type CreditRequestStatus = (typeof CREDIT_REQUEST_STATUSES)[number];

export interface CreditRequest {
  readonly id: string;
  readonly merchantId: string;
  readonly sandbox: boolean;
  readonly depositId: string;
  readonly status: CreditRequestStatus;
  /** Who asks, by name, and why. */
  readonly requestedBy: string;
  readonly reason: string;
  /** Null while it is open, and of a deposit that was credited without a look at the request. */
  readonly decidedBy: string | null;
  /** The operator's words to the merchant. */
  readonly answer: string | null;
  readonly createdAt: Date;
  readonly decidedAt: Date | null;
}

export interface CreditDecision {
  readonly status: 'granted' | 'declined';
  readonly by: string | null;
  readonly answer: string | null;
  readonly at: Date;
}

/** The request after the decision; null if it was decided already. */
export function decidedRequest(
  request: CreditRequest,
  { status, by, answer, at }: CreditDecision,
): CreditRequest | null {
  return request.status === 'requested' ? { ...request, status, decidedBy: by, answer, decidedAt: at } : null;
}
