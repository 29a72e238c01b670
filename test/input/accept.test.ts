import { describe, expect, it } from 'vitest';
import { mediaTypeWeight, namesMediaType } from '../../src/input/accept.js';

describe('The weight of text/event-stream', () => {
  it.each([
    [undefined, 1],
    ['', 1],
    ['*/*', 1],
    ['text/event-stream', 1],
    ['Text/Event-Stream; Q=0.5', 0.5],
    ['text/*;q=0.4, */*', 0.4],
    ['text/event-stream;q=0', 0],
    ['text/event-stream;q=0, */*', 0],
    ['text/event-stream; charset=utf-8; q=0.000', 0],
    ['text/*;q=0, text/event-stream', 1],
    ['*/*;q=0', 0],
    ['application/json', 0],
    ['x-text/event-stream', 0],
    ['text/event-stream;q=many', 0],
  ])('in Accept: %s is %d', (accept, weight) => {
    expect(mediaTypeWeight(accept, 'text/event-stream')).toBe(weight);
  });
});

describe('The header', () => {
  it.each([
    ['text/html,application/xhtml+xml,*/*;q=0.8', true],
    ['text/html;q=0, application/json', false],
    ['*/*', false],
    ['text/html-fragment', false],
    [undefined, false],
  ])('Accept: %s names text/html: %s', (accept, isNamed) => {
    expect(namesMediaType(accept, 'text/html')).toBe(isNamed);
  });
});
