/** Every endpoint under /api/v2. */

import { CATALOG_ROUTES } from './catalog/catalog.routes.ts';
import { INVOICE_ROUTES } from './invoices/invoices.routes.ts';
import { PERMANENT_ROUTES } from './invoices/permanent.routes.ts';
import type { Route } from './kit/route.ts';
import { LINK_ROUTES } from './links/links.routes.ts';
import { MERCHANT_ROUTES } from './merchants/merchant.routes.ts';
import { PAYOUT_ROUTES } from './payouts/payouts.routes.ts';
import { REFUND_ROUTES } from './refunds/refunds.routes.ts';
import { EVENT_ROUTES } from './webhooks/events.routes.ts';
import { NOTIFICATION_ROUTES } from './webhooks/notifications.routes.ts';

export const API_PREFIX = '/api/v2';

export const API_ROUTES: readonly Route[] = [
  ...INVOICE_ROUTES,
  ...PAYOUT_ROUTES,
  ...PERMANENT_ROUTES,
  ...LINK_ROUTES,
  ...REFUND_ROUTES,
  ...MERCHANT_ROUTES,
  ...CATALOG_ROUTES,
  ...NOTIFICATION_ROUTES,
  ...EVENT_ROUTES,
];
