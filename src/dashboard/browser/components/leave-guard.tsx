import { useEffect, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** Asks before a page with unsaved changes is left. Where a draft keeps what is typed, it is not needed. */
export function LeaveGuard({ isChanged }: { readonly isChanged: boolean }) {
  const [target, setTarget] = useState<string>();
  const [isLeaving, setIsLeaving] = useState(false);
  const isGuarded = isChanged && !isLeaving;
  useEffect(() => {
    if (!isGuarded) return undefined;
    const onNavigate = (event: NavigateEvent) => {
      const to = event.destination.url;
      if (!event.cancelable || pathOf(to) === pathOf(location.href)) return;
      event.preventDefault();
      setTarget(to);
    };
    // Safari before 26 and Firefox before 147 have no Navigation API: there only links are guarded.
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (link === null || link.hash === '' || pathOf(link.href) === pathOf(location.href)) return;
      event.preventDefault();
      event.stopPropagation();
      setTarget(link.href);
    };
    const hasNavigation = 'navigation' in window;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    if (hasNavigation) navigation.addEventListener('navigate', onNavigate);
    else addEventListener('click', onClick, true);
    addEventListener('beforeunload', onUnload);
    return () => {
      if (hasNavigation) navigation.removeEventListener('navigate', onNavigate);
      removeEventListener('click', onClick, true);
      removeEventListener('beforeunload', onUnload);
    };
  }, [isGuarded]);
  useEffect(() => {
    if (isLeaving && target !== undefined) location.href = target;
  }, [isLeaving]);
  if (target === undefined || isLeaving) return null;
  return (
    <Dialog title="Leave without saving?" onClose={() => setTarget(undefined)}>
      <p>Your changes on this page are not saved.</p>
      <div class="actions">
        <Button onClick={() => setTarget(undefined)}>Stay</Button>
        <Button kind="danger" onClick={() => setIsLeaving(true)}>
          Leave
        </Button>
      </div>
    </Dialog>
  );
}

function pathOf(url: string): string {
  return new URL(url).hash.split('?', 1)[0] ?? '';
}
