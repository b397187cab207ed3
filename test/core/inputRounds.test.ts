import assert from 'node:assert/strict';
import { CancellationToken } from 'vscode-jsonrpc/node';
import { isMcpError, McpError } from '../../src/core/errors';
import { ElicitationBroker } from '../../src/core/input/elicitationBroker';
import type { InputHandler } from '../../src/core/input/inputHandler';
import { answerRound, InputRequired } from '../../src/core/input/inputRounds';

function question(key: string) {
  const params = {
    message: key,
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  };
  return [key, { method: 'elicitation/create', params }] as const;
}

function roundOf(count: number, handler: InputHandler, ...others: (readonly [string, unknown])[]) {
  const questions = Array.from({ length: count }, (_, index) => question(`q${index}`));
  return answerRound(new InputRequired([...questions, ...others], 's'), {
    broker: new ElicitationBroker(handler),
    origin: { tool: 't' },
    token: CancellationToken.None,
  });
}

describe('The questions of one round', () => {
  it('are asked one after the other, up to twenty of them', async () => {
    let open = 0;
    const asked: string[] = [];
    const round = await roundOf(20, {
      elicit: async ({ message }) => {
        asked.push(message);
        assert.equal((open += 1), 1);
        await new Promise(setImmediate);
        open -= 1;
        return { action: 'decline' };
      },
    });
    assert.deepEqual(
      asked,
      Array.from({ length: 20 }, (_, index) => `q${index}`),
    );
    assert.deepEqual(Object.keys(round.inputResponses ?? {}), asked);
  });

  it('are closed if another request of the round fails, and the next ones are not asked', async () => {
    let asked = 0;
    const isFailure = (error: unknown) => isMcpError(error, 'internal');
    const closed = new Promise<void>((resolve) => {
      const round = roundOf(
        3,
        {
          elicit: (_question, token) => {
            asked += 1;
            token.onCancellationRequested(() => resolve());
            return new Promise(() => undefined);
          },
          roots: async () => {
            await new Promise(setImmediate);
            throw new McpError('internal');
          },
        },
        ['roots', { method: 'roots/list' }],
      );
      void assert.rejects(round, isFailure);
    });
    await closed;
    await new Promise(setImmediate);
    assert.equal(asked, 1);
  });
});
