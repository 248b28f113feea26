import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useRef, useState } from 'preact/hooks';

const shownMs = 5_000;

type ShowToast = (text: string) => void;
const ToastContext = createContext<ShowToast>(() => {});

/** @returns shows a message for some seconds */
export function useToast(): ShowToast {
  return useContext(ToastContext);
}

export function ToastProvider({ children }: { readonly children: ComponentChildren }) {
  const [toasts, setToasts] = useState<readonly { id: number; text: string }[]>([]);
  const last = useRef(0);
  const tell = useCallback((text: string) => {
    last.current += 1;
    const id = last.current;
    setToasts((before) => [...before, { id, text }]);
    setTimeout(() => setToasts((before) => before.filter((one) => one.id !== id)), shownMs);
  }, []);
  return (
    <ToastContext.Provider value={tell}>
      {children}
      <div class="toasts" role="status">
        {toasts.map(({ id, text }) => (
          <p key={id}>{text}</p>
        ))}
      </div>
    </ToastContext.Provider>
  );
}
