import type { FromFilter, ToFilter } from '../core/stdio/filterProcess';
import { FilteredDocument } from './jsonFilter';

// The process that filters one JSON document. It ends with the process that started it.
const limitMs = Number(process.argv[2]);
process.once('message', (first: ToFilter) => {
  const text = 'document' in first ? Buffer.from(first.document).toString() : '';
  const document = new FilteredDocument(text, limitMs);
  process.on('message', (message: ToFilter) => {
    if ('document' in message) return;
    const { id, expression, isWhole } = message;
    const sent: FromFilter = { id, answer: document.filter(expression, isWhole) };
    process.send?.(sent);
  });
});
process.on('disconnect', () => process.exit());
