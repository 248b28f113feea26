import { Link } from 'wouter-preact';
import { addressOf, api, ask, base } from '../../api.ts';
import { useLoaded } from '../../loading.ts';
import { Badge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { LoadedView } from '../../parts/list.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { bytesText, counted, countText, shareText, spanText } from '../../words.ts';
import { Backups } from './backups.tsx';
import './system.css';

const lookMs = 5_000;
/** Less than this share of the disk free is little. */
const littleShare = 0.1;

type System = Awaited<ReturnType<typeof readSystem>>;
type Worker = System['workers'][number];

/** What runs, and on how much room. */
export function SystemPage() {
  const system = useLoaded(readSystem, [], () => lookMs);
  return (
    <Page
      title="System"
      about="What runs here, and on how much room."
      actions={<LinkButton href={`${base}/docs`}>API reference</LinkButton>}
    >
      <LoadedView of={system}>
        {(value) => (
          <>
            <Facts system={value} />
            <Voices voices={value.voices} />
            <Section
              title="Workers"
              about="Processes that speak. Each keeps in memory the voices it has used."
            >
              <Table
                caption="Workers"
                rows={value.workers}
                keyOf={({ pid }) => pid}
                columns={workerColumns}
              />
            </Section>
          </>
        )}
      </LoadedView>
      <Backups />
      <Section
        title="Licences"
        about="Lectern is free software: GPL, version 3 or later. All it is made of is under free licences, too."
      >
        <LinkButton href={addressOf('/system/licenses')}>
          What is inside, and its licences
        </LinkButton>
      </Section>
    </Page>
  );
}

function readSystem() {
  return ask(api.system.get());
}

function Facts({ system }: { readonly system: System }) {
  const { disk_free_bytes: free, disk_total_bytes: total } = system;
  const usedShare = total === 0 ? 0 : 1 - free / total;
  return (
    <dl class="facts card">
      <dt>Version</dt>
      <dd>Lectern {system.version}</dd>
      <dt>Running for</dt>
      <dd>{uptimeText(system.uptime_seconds)}</dd>
      <dt>Data folder</dt>
      <dd>
        <code>{system.data_folder}</code>
      </dd>
      <dt>Database</dt>
      <dd>{bytesText(system.database_bytes)}</dd>
      <dt>Disk</dt>
      <dd>
        <span class="disk">
          <meter
            aria-label="Share of the disk that is used"
            min={0}
            max={1}
            high={1 - littleShare}
            optimum={0}
            value={usedShare}
          />
          <span>
            {bytesText(free)} free of {bytesText(total)}
          </span>
          {usedShare > 1 - littleShare && <Badge kind="warning">Little room</Badge>}
        </span>
        <span class="hint">{shareText(usedShare)} used, by all that is on it</span>
      </dd>
    </dl>
  );
}

function Voices({ voices }: { readonly voices: System['voices'] }) {
  return (
    <Section title="Voices">
      <p>
        {counted(voices.installed, 'voice')} installed, see <Link href="/voices">Voices</Link>.
      </p>
      {voices.not_usable.length > 0 && (
        <div class="not-usable">
          <Notice kind="warning">
            <p>
              {voices.not_usable.length === 1
                ? 'A file in the folder of voices is none:'
                : 'These files in the folder of voices are none:'}
            </p>
            <ul>
              {voices.not_usable.map(({ file, problem }) => (
                <li key={file}>
                  <code>{file}</code>: {problem}
                </li>
              ))}
            </ul>
          </Notice>
        </div>
      )}
    </Section>
  );
}

const workerColumns: readonly Column<Worker>[] = [
  { title: 'Process', cell: ({ pid }) => `Process ${pid}` },
  {
    title: 'Memory',
    isNumber: true,
    cell: ({ memory_bytes: bytes }) => (bytes === 0 ? 'not used yet' : bytesText(bytes)),
  },
  { title: 'Tasks done', isNumber: true, cell: ({ tasks }) => countText(tasks) },
];

function uptimeText(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  return days === 0 ? spanText(seconds) : `${counted(days, 'day')} ${spanText(seconds % 86_400)}`;
}
