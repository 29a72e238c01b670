import { describe, expect, it } from 'vitest';
import { tagIn } from '../../../src/console/web/images/tag-users.js';

describe('The tag of an image reference', () => {
  for (const [reference, tag] of [
    ['registry.example.com/agents/triage:r7', 'r7'],
    ['registry.example.com:5000/agents/triage:r7', 'r7'],
    ['registry.example.com:5000/agents/triage', undefined],
    ['triage:r7@sha256:0123', 'r7'],
    ['triage@sha256:0123', undefined],
    ['', undefined],
  ] as const) {
    it(`is ${tag ?? 'absent'} in “${reference}”`, () => expect(tagIn(reference)).toBe(tag));
  }
});
