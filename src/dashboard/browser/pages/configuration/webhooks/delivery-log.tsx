import { useState } from 'preact/hooks';
import { api, ask, encodeSegment } from '../../../api.ts';
import { runInBackground } from '../../../background.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { CopyLine } from '../../../components/copy.tsx';
import { SelectField } from '../../../components/field.tsx';
import { ErrorNotice } from '../../../components/notice.tsx';
import { PagedQueryView } from '../../../components/query-view.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { useToast } from '../../../components/toasts.tsx';
import { formatCount } from '../../../format.ts';
import { useAction, usePagedQuery } from '../../../query.ts';
import { useSite } from '../../../site.tsx';

const slowMs = 10_000;
const states = {
  pending: { kind: 'busy', word: 'Pending' },
  delivered: { kind: 'good', word: 'Delivered' },
  failed: { kind: 'bad', word: 'Failed' },
} as const;
type State = keyof typeof states;

interface Delivery {
  readonly id: number;
  readonly message_id: string;
  readonly type: string;
  readonly state: State;
  readonly attempt_count: number;
  readonly next_attempt_at: string | null;
  readonly created_at: string;
  readonly payload: unknown;
  readonly attempts: readonly {
    readonly number: number;
    readonly at: string;
    readonly status_code: number | null;
    readonly error: string | null;
    readonly duration_ms: number;
    readonly response: string | null;
  }[];
}

interface DeliveryLogProps {
  readonly webhookId: number;
  /** A disabled webhook receives nothing. */
  readonly isActive: boolean;
}

/** The deliveries of a webhook with their attempts. */
export function DeliveryLog({ webhookId, isActive }: DeliveryLogProps) {
  const { site } = useSite();
  const [state, setState] = useState<State>();
  const route = api.sites({ site: encodeSegment(site.slug) }).webhooks({ webhook: webhookId });
  const deliveries = usePagedQuery(
    (cursor) =>
      ask(() =>
        route.deliveries.get({
          query: {
            ...(cursor === undefined ? {} : { cursor }),
            ...(state === undefined ? {} : { state }),
          },
        }),
      ),
    [webhookId, state],
    isActive ? pauseMs : slowly,
  );
  return (
    <div class="deliveries">
      <div class="deliveries-head">
        <SelectField
          label="Status"
          value={state ?? ''}
          onValue={(value) =>
            setState(value === 'pending' || value === 'delivered' || value === 'failed' ? value : undefined)
          }
          options={[
            { value: '', label: 'All' },
            { value: 'failed', label: 'Failed' },
            { value: 'pending', label: 'Pending' },
            { value: 'delivered', label: 'Delivered' },
          ]}
        />
        <Button kind="quiet" isBusy={deliveries.isLoading} onClick={deliveries.reload}>
          Refresh
        </Button>
      </div>
      <PagedQueryView
        of={deliveries}
        empty={
          <p class="hint">
            {state === undefined
              ? 'No deliveries yet. Use “Send test event” to check that your server accepts messages.'
              : 'No matching deliveries.'}
          </p>
        }
      >
        {(items) => (
          <ul class="delivery-list">
            {items.map((delivery) => (
              <DeliveryRow key={delivery.id} webhookId={webhookId} delivery={delivery} reload={deliveries.reload} />
            ))}
          </ul>
        )}
      </PagedQueryView>
    </div>
  );
}

/** Polls often while a delivery is due, rarely before a later attempt. */
function pauseMs(deliveries: readonly Delivery[]): number | undefined {
  const waiting = deliveries.filter(({ state }) => state === 'pending');
  if (waiting.length === 0) return undefined;
  const next = waiting.map(({ next_attempt_at }) => Date.parse(next_attempt_at ?? ''));
  return Math.min(...next) <= Date.now() + 1_000 ? 1_000 : slowMs;
}

/** Nothing is sent, but the webhook may be enabled elsewhere. */
function slowly(deliveries: readonly Delivery[]): number | undefined {
  return pauseMs(deliveries) && slowMs;
}

interface DeliveryRowProps {
  readonly webhookId: number;
  readonly delivery: Delivery;
  readonly reload: () => void;
}

function DeliveryRow({ webhookId, delivery, reload }: DeliveryRowProps) {
  const { site } = useSite();
  const tell = useToast();
  const resend = useAction(async () => {
    await ask(() =>
      api
        .sites({ site: encodeSegment(site.slug) })
        .webhooks({ webhook: webhookId })
        .deliveries({ delivery: delivery.id })
        .replay.post(),
    );
    tell('Message resent');
    reload();
  });
  const { kind, word } = states[delivery.state];
  const last = delivery.attempts.at(-1);
  return (
    <li>
      <details>
        <summary>
          <Badge kind={kind}>{word}</Badge>
          <code>{delivery.type}</code>
          <span class="outcome">
            {last !== undefined && outcomeText(last)}
            {delivery.attempt_count > 1 && ` · ${formatCount(delivery.attempt_count, 'attempt')}`}
          </span>
          <RelativeTime at={delivery.created_at} />
        </summary>
        <div class="delivery">
          {delivery.attempts.length > 0 && (
            <ol class="attempts">
              {delivery.attempts.map((attempt) => (
                <li key={attempt.number}>
                  {outcomeText(attempt)}, after {attempt.duration_ms} ms, <RelativeTime at={attempt.at} />
                  {attempt.response !== null && attempt.response !== '' && <pre>{attempt.response}</pre>}
                </li>
              ))}
            </ol>
          )}
          {delivery.next_attempt_at !== null && (
            <p class="hint">
              Next attempt <RelativeTime at={delivery.next_attempt_at} />
            </p>
          )}
          <CopyLine label={`Message ${delivery.message_id}`} text={JSON.stringify(delivery.payload, null, 2)} />
          <ErrorNotice problem={resend.problem} />
          {delivery.state !== 'pending' && (
            <div class="actions">
              <Button isBusy={resend.isRunning} onClick={() => runInBackground(resend.run())}>
                {' '}
                Resend message{' '}
              </Button>
            </div>
          )}
        </div>
      </details>
    </li>
  );
}

function outcomeText({ status_code, error }: Delivery['attempts'][number]): string {
  if (error === null) return `Status ${status_code}`;
  return `${error.charAt(0).toUpperCase()}${error.slice(1)}`;
}
