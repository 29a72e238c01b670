import { createElement } from 'react';
import { expect, it } from 'vitest';
import { EventTimeline } from '../../../src/console/web/resources/event-timeline.js';
import { renderPart, textOf } from './render.js';

const event = (status: 'BUILDING' | 'BUILT' | 'DEPLOYING') => ({
  type: 'status',
  status,
  message: null,
  time: '2026-11-20T12:00:00Z',
  revision: null,
  canaryRevision: null,
});
const inProgress = (html: string) => html.split('tone-icon in-progress').length - 1;

it('shows the latest event first, and only this one in progress', async () => {
  const events = [event('BUILDING'), event('BUILT'), event('DEPLOYING')];
  const html = await renderPart(createElement(EventTimeline, { events }));
  expect(textOf(html)).toMatch(/^Deploying .*Built .*Building /);
  expect(inProgress(html)).toBe(1);
});

it('shows no event of an image in progress, because nothing follows its build', async () => {
  const events = [event('BUILDING'), event('BUILT')];
  expect(inProgress(await renderPart(createElement(EventTimeline, { events, isRunning: false })))).toBe(0);
});

it('hides older events behind a button that counts all', async () => {
  const events = [event('BUILDING'), event('BUILT'), event('DEPLOYING')];
  const text = textOf(await renderPart(createElement(EventTimeline, { events, shownMax: 1 })));
  expect(text).toMatch(/^Deploying .*Show all 3$/);
  expect(text).not.toContain('Built');
});
