/** /api/v2/permanent: deposit addresses bound to an external user. */
import { Type } from '@sinclair/typebox';
import type { PermanentAddressInput } from '../../../app/application.ts';
import { presentParts, unixSeconds } from '../../../app/invoices/present-invoice.ts';
import type { AssetCatalog } from '../../../domain/catalog/asset.ts';
import {
  type Family,
  isPermanentFamily,
  PERMANENT_FAMILIES,
  type PermanentFamily,
} from '../../../domain/catalog/family.ts';
import type { PermanentAddress } from '../../../domain/invoices/permanent-address.ts';
import { err, ok } from '../../../domain/result.ts';
import { WEBHOOK_FORMATS } from '../../../domain/webhooks/webhook-format.ts';
import { WEBHOOK_URL_LENGTH_MAX } from '../../../domain/webhooks/webhook-url.ts';
import { answer, created, listed } from '../kit/answer.ts';
import type { ApiContext } from '../kit/call.ts';
import { notFound } from '../kit/errors.ts';
import { assetOf, boundedObject, webhookUrl } from '../kit/input/fields.ts';
import { chainText, PAGE, pageOf } from '../kit/input/list-query.ts';
import { choice, flag, text } from '../kit/input/query.ts';
import { FreeObject, OneOf, Text } from '../kit/input/schema.ts';
import type { Faults } from '../kit/input/validate.ts';
import { boolean, id, integer, nullable, object, oneOf, string, unixTime, view } from '../kit/input/views.ts';
import { type BodyDefinition, route } from '../kit/route.ts';

const tag = 'Permanent addresses';

const PermanentAddressSchema = view('PermanentAddress', {
  id: id(),
  user_id: string(),
  family: oneOf(PERMANENT_FAMILIES, 'One EVM address covers all EVM chains'),
  address: string(),
  address_classic: nullable(string('XRP: the account in `address`')),
  address_tag: nullable(integer('XRP: the destination tag in `address`')),
  active: boolean(),
  created_at: unixTime(),
  deactivated_at: nullable(unixTime()),
  metadata: nullable(object()),
  notify_url: nullable(string()),
  webhook_format: oneOf(WEBHOOK_FORMATS),
});

const EXAMPLE = {
  id: '0190f3a1b2c30a1b2c3d4e62',
  user_id: 'user-42',
  family: 'tron',
  address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  address_classic: null,
  address_tag: null,
  active: true,
  created_at: 1_767_225_600,
  deactivated_at: null,
  metadata: { plan: 'gold' },
  notify_url: null,
  webhook_format: 'native_v2',
};

/** Specification, "Permanent deposit address". Internal fields are left out. */
function presentAddress(address: PermanentAddress, { application }: ApiContext) {
  return {
    id: address.id,
    user_id: address.userId,
    family: address.family,
    address: address.address,
    ...presentParts(application.partsOf(address.family, address.address)),
    active: address.active,
    created_at: unixSeconds(address.createdAt),
    deactivated_at: address.deactivatedAt === null ? null : unixSeconds(address.deactivatedAt),
    metadata: address.metadata,
    notify_url: address.notifyUrl,
    webhook_format: address.webhookFormat,
  };
}

const schema = Type.Object({
  user_id: Text({
    minLength: 1,
    maxLength: 128,
    description: 'Your id of the user.',
    examples: ['user-42'],
  }),
  family: Type.Optional(OneOf(PERMANENT_FAMILIES, { description: 'Optional if `asset` is given.' })),
  asset: Type.Optional(
    Text({
      blank: 'absent',
      minLength: 1,
      maxLength: 64,
      description: 'An asset of the family, in place of `family`.',
      examples: ['usdt_tron'],
    }),
  ),
  notify_url: Type.Optional(
    Text({
      blank: 'absent',
      maxLength: WEBHOOK_URL_LENGTH_MAX,
      description: 'The URL for webhooks of its deposits.',
      examples: ['https://shop.example/webhooks'],
    }),
  ),
  webhook_format: Type.Optional(
    OneOf(WEBHOOK_FORMATS, {
      description:
        'The shape and signature of the webhooks of its deposits. Default: `native_v2`. The other formats are for receivers that were written for another provider. The format is set when the address is created.',
      examples: ['heleket'],
    }),
  ),
  metadata: Type.Optional(FreeObject({ description: 'At most 16 KiB as JSON.' })),
});

type PermanentAddressBody = Partial<(typeof schema)['static']>;

export const permanentBody: BodyDefinition<PermanentAddressInput> = {
  schema,
  examples: {
    'By family': { user_id: 'user-42', family: 'evm' },
    'By asset': { user_id: 'user-42', asset: 'usdt_tron', metadata: { plan: 'gold' } },
  },
  read(json, faults, context) {
    const given = json as PermanentAddressBody;
    const family = familyOf(given, faults, context);
    const notifyUrl = webhookUrl(given.notify_url, 'notify_url', faults);
    const metadata = boundedObject(given.metadata, 'metadata', faults);
    if (given.user_id === undefined || family === null) return null;
    const webhookFormat = given.webhook_format ?? null;
    return { userId: given.user_id, family, notifyUrl, webhookFormat, metadata };
  },
};

/** The given family, or the only one of the asset. If both are given, they must agree. */
function familyOf(
  given: PermanentAddressBody,
  faults: Faults,
  { application }: ApiContext,
): PermanentFamily | null {
  const { asset, family } = given;
  if (asset === undefined) {
    if (family === undefined) faults.add('family', 'is required when asset is not given');
    return family ?? null;
  }
  const families = familiesOf(asset, application.catalog, faults);
  if (family !== undefined) {
    if (families.length > 0 && !families.includes(family))
      faults.add('asset', `is not of the family ${family}`);
    return family;
  }
  const [only, ...others] = families;
  if (only === undefined) return null;
  if (others.length > 0) faults.add('family', `is required: ${asset} exists on ${families.join(', ')}`);
  else if (isPermanentFamily(only)) return only;
  else faults.add('asset', 'has no permanent addresses');
  return null;
}

/**
 * The families of an asset name, or of a ticker, which may be on several chains (specification:
 * "Asset ticker, used to infer family").
 */
function familiesOf(name: string, catalog: AssetCatalog, faults: Faults): readonly Family[] {
  const ticker = name.trim().toLowerCase();
  const byTicker = catalog.all.filter((asset) => asset.ticker === ticker).map((asset) => asset.family);
  if (byTicker.length > 0) return [...new Set(byTicker)];
  const asset = assetOf({ asset: name }, { prefix: '', catalog }, faults);
  return asset === null ? [] : [asset.family];
}

const getOrCreate = route({
  operationId: 'createPermanentAddress',
  method: 'POST',
  path: '/api/v2/permanent',
  tag,
  summary: 'Get or create a permanent address',
  description: 'Returns the active address of `user_id` and the family. The first call creates it.',
  idempotent: true,
  body: permanentBody,
  rejects: ['INVOICE_REJECTED'],
  success: {
    status: 201,
    description: 'The address, new or existing',
    result: PermanentAddressSchema,
    examples: { Address: EXAMPLE },
  },
  handle: ({ caller, body: input, respondOnce }, context) =>
    respondOnce(
      (address: PermanentAddress) => created(presentAddress(address, context)),
      (once) => context.application.getPermanentAddress(caller, input, once),
    ),
});

const list = route({
  operationId: 'listPermanentAddresses',
  method: 'GET',
  path: '/api/v2/permanent',
  tag,
  summary: 'List permanent addresses',
  description: 'Returns the addresses of this merchant and environment, newest first.',
  query: {
    ...PAGE,
    family: choice('Only addresses of this family.', PERMANENT_FAMILIES),
    user_id: text('Only addresses of this user.', 128),
    address: chainText('Only this address.'),
    active: flag('`true`: only active addresses. `false`: only inactive ones.'),
  },
  success: {
    status: 200,
    description: 'A page of addresses',
    result: Type.Array(PermanentAddressSchema),
    list: 'pages',
    examples: { 'One address': [EXAMPLE] },
  },
  async handle({ caller, query }, context) {
    const page = pageOf(query);
    const { queries, spellingsOf } = context.application;
    const filter = {
      ...{ family: query.family, userId: query.user_id, active: query.active },
      addresses: query.address === null ? null : spellingsOf(query.address),
    };
    const { rows, total } = await queries.permanentAddresses(caller.scope, filter, page);
    const shown = rows.map((address) => presentAddress(address, context));
    return ok(listed(shown, page, total));
  },
});

const read = route({
  operationId: 'getPermanentAddress',
  method: 'GET',
  path: '/api/v2/permanent/:address_id',
  tag,
  summary: 'Read a permanent address',
  description: 'Returns one address of this merchant and environment.',
  rejects: ['NOT_FOUND'],
  success: {
    status: 200,
    description: 'The address',
    result: PermanentAddressSchema,
    examples: { Address: EXAMPLE },
  },
  async handle({ caller, id: addressId }, context) {
    const address = await context.application.queries.permanentAddress(caller.scope, addressId);
    return address === null
      ? err(notFound('permanent address'))
      : ok(answer(presentAddress(address, context)));
  },
});

const deactivate = route({
  operationId: 'deactivatePermanentAddress',
  method: 'DELETE',
  path: '/api/v2/permanent/:address_id',
  tag,
  summary: 'Deactivate a permanent address',
  description:
    'Deactivates the address. Later payments to it open no invoice and are not credited: they become unmatched deposits, which the operator handles.',
  rejects: ['NOT_FOUND'],
  success: {
    status: 200,
    description: 'Deactivated',
    result: view(null, { deactivated: boolean(), id: id() }),
    examples: { Deactivated: { deactivated: true, id: EXAMPLE.id } },
  },
  async handle({ caller, id: addressId }, { application }) {
    const result = await application.deactivatePermanentAddress(caller, addressId);
    return result.ok ? ok(answer({ deactivated: !result.value.active, id: result.value.id })) : result;
  },
});

export const PERMANENT_ROUTES = [getOrCreate, list, read, deactivate];
