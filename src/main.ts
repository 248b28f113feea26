// A module, although it imports nothing before it knows what for.
export {};

let [name, ...rest] = process.argv.slice(2);

// Not commands for people: the server starts them. Loaded apart, as a child needs neither database nor HTTP.
if (name === 'sandboxed') {
  const { completeSandbox } = await import('./build/sandbox/sandbox.ts');
  completeSandbox(rest[0] ?? '');
  [name, ...rest] = rest.slice(1);
}

if (name === 'sandbox') {
  const { enterSandbox } = await import('./build/sandbox/sandbox.ts');
  enterSandbox(rest);
} else if (name === 'worker') {
  const { runWorker } = await import('./speech/worker.ts');
  runWorker(rest);
} else if (name === 'sandbox-probe') {
  const { runProbe } = await import('./build/sandbox/probe.ts');
  await runProbe(JSON.parse(rest[0] ?? ''));
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
