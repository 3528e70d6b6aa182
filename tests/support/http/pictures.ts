/**
 * Small pictures of 30 by 20 pixels that a browser drew and reads back: one of each way in which
 * the formats tell their size.
 */
import type { PictureType } from '../../../src/domain/merchants/image-header.ts';

const decoded = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));

export const GREEN_PNG = decoded(
  'iVBORw0KGgoAAAANSUhEUgAAAB4AAAAUCAYAAACaq43EAAAAPElEQVR4AezSMQ4AQAgCQeLL7+dnT480a2Jhg8mE0dNv7Kg0PD6DhxrqmADlitF6MNQuEruhjtF6cI16AQAA//9LUwlKAAAABklEQVQDAG/mLQvPsKNOAAAAAElFTkSuQmCC',
);

export const PICTURES: readonly (readonly [name: string, type: PictureType, bytes: Uint8Array])[] = [
  ['png', 'image/png', GREEN_PNG],
  [
    'jpeg',
    'image/jpeg',
    decoded(
      '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAAUAB4DASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAP/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAAP/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCQCaQAAAAAD//Z',
    ),
  ],
  [
    'webp, lossy',
    'image/webp',
    decoded(
      'UklGRkIAAABXRUJQVlA4IDYAAAAQAwCdASoeABQAPzmWw1mvKqejqAgB4CcJZQDI1BanFAAA/uQBfXFzZEUfh3c3XvuKYHDAAAA=',
    ),
  ],
  ['webp, lossless', 'image/webp', decoded('UklGRhwAAABXRUJQVlA4TA8AAAAvHcAEAAdQwIj+ByKi/wEA')],
  [
    'webp, extended',
    'image/webp',
    decoded(
      'UklGRmwAAABXRUJQVlA4WAoAAAAQAAAAHQAAEwAAQUxQSBAAAAABB1DAiAgABOG/XUBE/1MHVlA4IDYAAAAQAwCdASoeABQAPzmWw1mvKqejqAgB4CcJZQDI1BanFAAA/uQBfXFzZEUfh3c3XvuKYHDAAAA=',
    ),
  ],
];
