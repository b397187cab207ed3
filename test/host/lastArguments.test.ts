import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { SchemaValidator } from '../../src/core/schema/schema';
import type { PastCall } from '../../src/host/history/pastCall';
import { isStillValid, lastArguments } from '../../src/ui/picking/lastArguments';
import { pickableTools } from '../../src/ui/picking/pickableTools';
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

  it('are those that the person sent', () => {
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

  it('are not known where a secret was among them, or they were too large to be kept', () => {
    assert.equal(known({ arguments: value, hasSecrets: true }), undefined);
    assert.equal(known({ argumentsOmitted: 'tooLarge' }), undefined);
  });

  it('are nothing to be offered where there is none to enter', () => {
    assert.equal(known({ arguments: {} }, {}), undefined);
  });
});

describe('Whether they fit still', () => {
  const isFit = (properties: JsonObject, value: JsonObject): boolean =>
    isStillValid(new SchemaValidator(), schemaOf(properties), value);

  it('is what the schema says now', () => {
    assert.equal(isFit({ word: text }, { word: 'hello' }), true);
    assert.equal(isFit({ word: text, loud: { type: 'boolean' } }, { word: 'hello' }), false);
    assert.equal(isFit({ word: { type: 'number' } }, { word: 'hello' }), false);
  });

  it('and they do not where it calls one a secret, or cannot be used', () => {
    assert.equal(isFit({ word: { ...text, format: 'password' } }, { word: 'hello' }), false);
    assert.equal(isFit({ word: { $ref: '#/nowhere' } }, { word: 'hello' }), false);
  });
});
