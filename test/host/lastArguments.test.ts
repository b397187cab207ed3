import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { SchemaValidator } from '../../src/core/schema/schema';
import type { PastCall } from '../../src/host/history/pastCall';
import { pickableTools, isStillValid, lastArguments } from '../../src/ui/picking/pickableTools';
import { pastCall } from './pastCalls';
import { serverOf, toolOf } from './treeFixtures';

const text = { type: 'string' };
const schemaOf = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

describe('The arguments of the last call', () => {
  const known = (facts: Partial<PastCall>, properties: JsonObject = { word: text }) => {
    const { arguments: _, ...call } = pastCall('1', { server: 'fs', tool: 'say', origin: 'tree' });
    const calls = [{ ...call, ...facts }];
    const tools = [toolOf('say', { inputSchema: schemaOf(properties) })];
    const [tool] = pickableTools([serverOf('fs', tools)], { calls });
    assert.ok(tool);
    return lastArguments(tool);
  };
  const value = { word: 'hello' };

  it('are those that the user sent', () => {
    for (const origin of ['palette', 'tree', 'file', 'history'] as const) {
      assert.deepEqual(known({ arguments: value, origin }), value);
    }
  });

  it('are not those of other programs', () => {
    for (const origin of ['agent', 'api', 'command', 'commandLine'] as const) {
      assert.equal(known({ arguments: value, origin }), undefined);
    }
    // The draft of an agent, which the person ran.
    assert.equal(known({ arguments: value, origin: 'history', isForeign: true }), undefined);
  });

  it('are unknown if they contained a secret, or were too large to be kept', () => {
    assert.equal(known({ arguments: value, hasSecrets: true }), undefined);
    assert.equal(known({ argumentsOmitted: 'tooLarge' }), undefined);
  });

  it('are not offered if the tool has no arguments', () => {
    assert.equal(known({ arguments: {} }, {}), undefined);
  });
});

describe('The arguments of the last call and the schema', () => {
  const isFit = (properties: JsonObject, value: JsonObject): boolean =>
    isStillValid(new SchemaValidator(), schemaOf(properties), value);

  it('match if the current schema accepts them', () => {
    assert.equal(isFit({ word: text }, { word: 'hello' }), true);
    assert.equal(isFit({ word: text, loud: { type: 'boolean' } }, { word: 'hello' }), false);
    assert.equal(isFit({ word: { type: 'number' } }, { word: 'hello' }), false);
  });

  it('do not match if it marks one as secret, or is invalid', () => {
    assert.equal(isFit({ word: { ...text, format: 'password' } }, { word: 'hello' }), false);
    assert.equal(isFit({ word: { $ref: '#/nowhere' } }, { word: 'hello' }), false);
  });
});
