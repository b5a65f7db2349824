// The page as one file, with a script that connects it to this extension.

import type { ThemeKind } from "./protocol";

/** Runs in the page before the page's own scripts. */
function bridge(): void {
  const api = acquireVsCodeApi();
  const scope = globalThis as unknown as WebviewScope;
  let takePage: ((text: string) => void) | undefined;
  scope.camlscopeHost = {
    post(message) {
      if (message.type === "state") api.setState({ hash: message.hash });
      api.postMessage(message);
    },
    listen(hear) {
      scope.addEventListener("message", ({ origin, data }) => {
        // Messages of the extension come through the frame around the page, which has the same origin. It is different
        // for each webview.
        if (origin !== scope.location.origin || data?.camlscope === undefined) return;
        if (data.type === "page") return takePage?.(String(data.text));
        const hash = data.type === "open" ? api.getState()?.hash : undefined;
        if (hash) hear({ camlscope: data.camlscope, type: "state", hash });
        hear(data);
      });
    },
    page() {
      return new Promise((resolve) => {
        takePage = resolve;
        api.postMessage({ type: "page" });
      });
    },
  };
  // The page has its own styles.
  scope.document.getElementById("_defaultStyles")?.remove();
}

interface BridgeMessage {
  camlscope?: number;
  type?: string;
  hash?: string;
  text?: string;
}

interface WebviewScope {
  camlscopeHost: {
    post(message: BridgeMessage): void;
    listen(hear: (message: BridgeMessage) => void): void;
    page(): Promise<string>;
  };
  location: { origin: string };
  document: { getElementById(id: string): { remove(): void } | null };
  addEventListener(kind: "message", hear: (event: { origin: string; data?: BridgeMessage }) => void): void;
}

declare function acquireVsCodeApi(): {
  postMessage(message: BridgeMessage): void;
  setState(state: { hash?: string }): void;
  getState(): { hash?: string } | undefined;
};

export function pageHtml(page: string, theme: ThemeKind): string {
  const nonce = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const policy = /<meta http-equiv="Content-Security-Policy"[^>]*>/;
  return page
    .replace("<html", () => `<html data-theme="${theme}"`)
    .replace(policy, (meta) => `${meta.replace("script-src ", `script-src 'nonce-${nonce}' `)}<script nonce="${nonce}">(${bridge})()</script>`);
}
