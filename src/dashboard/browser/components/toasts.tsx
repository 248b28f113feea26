import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';

const shownMs = 5_000;
/** How long a deletion can be undone here. */
const undoMs = 10_000;

interface ToastOptions {
  /** Takes back what has just been done. */
  readonly undo?: () => Promise<void>;
}
type ShowToast = (text: string, options?: ToastOptions) => void;
interface Toast extends ToastOptions {
  readonly id: number;
  readonly text: string;
}

const ToastContext = createContext<ShowToast>(() => {});

/** @returns shows a message for some seconds: `tell('Post deleted', { undo: () => restore() })` */
export function useToast(): ShowToast {
  return useContext(ToastContext);
}

export function ToastProvider({ children }: { readonly children: ComponentChildren }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const last = useRef(0);
  const remove = (id: number) => setToasts((before) => before.filter((toast) => toast.id !== id));
  const tell = useCallback<ShowToast>((text, options = {}) => {
    last.current += 1;
    const id = last.current;
    setToasts((before) => [...before, { id, text, ...options }]);
    setTimeout(() => remove(id), options.undo === undefined ? shownMs : undoMs);
  }, []);
  return (
    <ToastContext.Provider value={tell}>
      {children}
      <div class="toasts" role="status">
        {toasts.map((toast) => (
          <ToastLine key={toast.id} toast={toast} onClose={() => remove(toast.id)} />
        ))}
      </div>
    </ToastContext.Provider>
  );
}

function ToastLine({ toast: { text, undo }, onClose }: { readonly toast: Toast; readonly onClose: () => void }) {
  const tell = useToast();
  const takeBack = async () => {
    onClose();
    try {
      await undo?.();
    } catch (error) {
      tell(`Undo failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return (
    <div>
      <span class="grow">{text}</span>
      {undo === undefined ? (
        <Button kind="quiet" icon="x" isCompact aria-label="Close" onClick={onClose} />
      ) : (
        <Button kind="quiet" icon="undo-2" onClick={takeBack} label="Undo" />
      )}
    </div>
  );
}
