import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { runInBackground } from '../query.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

const gapPx = 4;

/** An element, or a range of text. */
export type Anchor = Pick<Element, 'getBoundingClientRect'>;

interface PopoverProps {
  /** What it belongs to. */
  readonly anchor: Anchor;
  readonly onClose: () => void;
  readonly class?: string;
  readonly label: string;
  readonly role?: 'dialog' | 'menu';
  readonly children: ComponentChildren;
}

/** Open while it is rendered, beside its anchor; Escape and a click elsewhere close it. The focus goes back. */
export function Popover({ anchor, onClose, class: className = '', label, role = 'dialog', children }: PopoverProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const shown = box.current;
    if (shown === null) return undefined;
    shown.showPopover();
    place(shown, anchor);
    shown.querySelector<HTMLElement>('input, button, a')?.focus();
    const follow = () => place(shown, anchor);
    addEventListener('resize', follow);
    addEventListener('scroll', follow, true);
    return () => {
      removeEventListener('resize', follow);
      removeEventListener('scroll', follow, true);
      if (shown.contains(document.activeElement) && anchor instanceof HTMLElement)
        anchor.focus({ preventScroll: true });
    };
  }, []);
  useEffect(() => {
    const shown = box.current;
    const onToggle = (event: ToggleEvent) => event.newState === 'closed' && onClose();
    shown?.addEventListener('toggle', onToggle);
    return () => shown?.removeEventListener('toggle', onToggle);
  }, [onClose]);
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles support a label
    // biome-ignore lint/a11y/noStaticElementInteractions: it has a role
    <div ref={box} popover="auto" class={className} role={role} aria-label={label} onKeyDown={moveFocus}>
      {children}
    </div>
  );
}

/** Below the anchor, or above where there is no room; within the window. */
function place(box: HTMLElement, anchor: Anchor): void {
  const { left, right, top, bottom } = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const below = bottom + gapPx;
  const isAbove = below + height > innerHeight && top - gapPx - height > 0;
  const start = left + width > innerWidth - gapPx ? right - width : left;
  box.style.left = `${Math.max(gapPx, Math.min(start, innerWidth - width - gapPx))}px`;
  box.style.top = `${isAbove ? top - gapPx - height : below}px`;
}

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName | undefined;
  readonly isDanger?: boolean | undefined;
  /** An address, or a # and the path of a page; else `run`. */
  readonly href?: string | undefined;
  readonly run?: () => void | Promise<void>;
}

interface MenuProps {
  /** Name of the button, for screen readers. */
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly isCompact?: boolean;
  /** ID of the element that names what the actions act on. */
  readonly subjectId?: string | undefined;
}

/** A button that opens a list of actions. */
export function Menu({ label, items, isCompact = false, subjectId }: MenuProps) {
  const id = useId();
  const [anchor, setAnchor] = useState<HTMLElement>();
  const close = () => setAnchor(undefined);
  if (items.length === 0) return null;
  return (
    <>
      <Button
        kind="quiet"
        icon="ellipsis"
        isCompact={isCompact}
        id={id}
        aria-label={label}
        aria-labelledby={subjectId && `${id} ${subjectId}`}
        aria-haspopup="menu"
        aria-expanded={anchor !== undefined}
        onClick={(event) => setAnchor(anchor === undefined ? event.currentTarget : undefined)}
      />
      {anchor !== undefined && (
        <Popover anchor={anchor} onClose={close} class="menu" role="menu" label={label}>
          {items.map((item) => (
            <MenuEntry key={item.label} item={item} onDone={close} />
          ))}
        </Popover>
      )}
    </>
  );
}

function MenuEntry({ item, onDone }: { readonly item: MenuItem; readonly onDone: () => void }) {
  const { label, icon, isDanger, href, run } = item;
  const Tag = href === undefined ? 'button' : 'a';
  const target = href === undefined ? { type: 'button' } : { href };
  const act = () => {
    onDone();
    runInBackground(Promise.resolve(run?.()));
  };
  return (
    <Tag {...(target as object)} role="menuitem" class={isDanger === true ? 'danger' : ''} onClick={act}>
      {icon !== undefined && <Icon name={icon} />}
      {label}
    </Tag>
  );
}

/** In a menu, arrows move through its entries, Home and End lead to the first and the last, and Tab leaves and closes it. */
function moveFocus(event: KeyboardEvent): void {
  const { currentTarget: menu, key } = event;
  if (!(menu instanceof HTMLElement) || menu.role !== 'menu') return;
  if (key === 'Tab') menu.hidePopover();
  const entries = [...menu.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const at = entries.findIndex((entry) => entry.matches(':focus'));
  const next = { ArrowDown: at + 1, ArrowUp: at - 1 + entries.length, Home: 0, End: entries.length - 1 }[key];
  if (next === undefined) return;
  event.preventDefault();
  entries[next % entries.length]?.focus();
}
