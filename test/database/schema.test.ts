// The models of schema.prisma and the tables that the migrations make have to be the same.
import { describe, expect, it } from 'vitest';
import { Prisma } from '../../src/database/client/client.js';
import { useApp } from '../harness.js';

const running = useApp();

describe('The migrations', () => {
  it.each(Object.values(Prisma.ModelName))('create the table %s with all its columns', async (model) => {
    const { db } = running.app.services;
    const property = `${model.charAt(0).toLowerCase()}${model.slice(1)}`;
    const delegate: unknown = Reflect.get(db, property);
    if (typeof delegate !== 'object' || delegate === null || !('findFirst' in delegate)) throw new Error(property);
    const { findFirst } = delegate;
    if (typeof findFirst !== 'function') throw new Error(property);
    expect(await findFirst.call(delegate)).toBeNull();
  });
});
