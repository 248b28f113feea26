// A module, although it imports nothing before it knows what for.
export {};

const [name, ...rest] = process.argv.slice(2);

if (name === 'worker') {
  // Not a command for people: the server starts it. Loaded apart, as a worker needs neither database nor HTTP.
  const { runWorker } = await import('./speech/worker.ts');
  runWorker(rest);
} else if (name === 'feed-reader') {
  const { runParseWorker: runFeedReader } = await import('./sources/parse-worker.ts');
  await runFeedReader();
} else {
  const { runProgram } = await import('./cli/program.ts');
  // Whoever reads our output may stop reading, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  process.exitCode = await runProgram(process.argv.slice(2));
}
