import { describe, expect, it } from 'vitest';
import { viewerLocation } from '../../src/auth/viewer-location.js';
import type { ViewerLocation } from '../../src/auth/viewer-location.js';

const names = {
  country: ['x-country'],
  continent: [],
  subdivision: [],
  city: ['x-city'],
  latitude: ['x-latitude', 'x-both'],
  longitude: ['x-longitude', 'x-both'],
};

/** A header as Node reads it: each byte is a character. */
const inBytes = (text: string, encoding: 'utf8' | 'latin1') => Buffer.from(text, encoding).toString('latin1');

describe('The location of a viewer', () => {
  it.each([
    ['in UTF-8', inBytes('Ürümqi', 'utf8')],
    ['in Latin-1', inBytes('Ürümqi', 'latin1')],
    ['percent-encoded', '%C3%9Cr%C3%BCmqi'],
  ])('has the city of a header that is sent %s', (_how, city) => {
    expect(viewerLocation(names, { 'x-country': 'CN', 'x-city': city })).toMatchObject({
      country: 'CN',
      city: 'Ürümqi',
    });
  });

  it.each<[string, Record<string, string>, ViewerLocation['position']]>([
    ['of two headers', { 'x-latitude': '-33.4', 'x-longitude': '151' }, { latitude: -33.4, longitude: 151 }],
    ['of one header', { 'x-both': '51.5,-0.12' }, { latitude: 51.5, longitude: -0.12 }],
    ['on the equator', { 'x-both': '0,-78.5' }, { latitude: 0, longitude: -78.5 }],
    ['on the first meridian', { 'x-both': '51.5,0' }, { latitude: 51.5, longitude: 0 }],
    ['absent without coordinates', { 'x-both': '0.000000,0.000000' }, undefined],
  ])('is a position %s', (_how, headers, position) => {
    expect(viewerLocation(names, headers).position).toEqual(position);
  });
});
