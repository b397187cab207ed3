import { SpooledFile, WindowFolder } from '../../src/host/results/resultSpool';

// A window that keeps a large result on disk and then has no time left to tidy up:
// `spoolWindow.ts <root>` says when the file is there, and waits to be killed.
const file = new SpooledFile(
  Buffer.alloc(3_000_000, 'x'),
  new WindowFolder(process.argv[2] ?? ''),
  {
    isText: true,
  },
);
void file.settled.then(() => console.log(file.isOnDisk ? 'on disk' : String(file.error)));
setInterval(() => undefined, 1_000);
