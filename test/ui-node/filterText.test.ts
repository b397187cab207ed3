import assert from 'node:assert/strict';
import { noFilter, type ToolFilter } from '../../src/ui/picking/toolFilter';
import { formatToolFilter } from '../../src/ui/tree/toolFilterState';

const kept: ToolFilter = { text: 'kept', levels: new Set(['readOnly']), closedWorldOnly: true };

describe('The description of the filter', () => {
  it('names what matches, and limits and shows the typed text', () => {
    assert.equal(formatToolFilter(kept), 'read-only, closed world, “kept”');
    assert.equal(formatToolFilter(noFilter), '');
    assert.match(
      formatToolFilter({ ...noFilter, text: `\u202E${'x'.repeat(500)}` }),
      /^“\\u\{202E\}x{1,60}…”$/,
    );
  });
});
