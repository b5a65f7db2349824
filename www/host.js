// Connects the page to its host, the program that it is embedded in (docs/embedding.md). A page with a host shows only
// what the host sends. A page without a host never posts a message.

const HOST_PROTOCOL = 1;
// Large enough for hosts that answer each request slowly.
const PIECE_BYTES = 4 << 20;
const MAX_REQUESTS = 3;
// What the worker decodes between two looks at its messages.
const CHUNK_BYTES = 1 << 20;
const THEMES = ["light", "dark", "high-contrast-light", "high-contrast-dark"];

const host = connectToHost(globalThis.camlscopeHost ?? hostInAddress());

// Returns the connection to the page around this frame, if the address names its origin. No other window is heard.
function hostInAddress() {
  const origin = new URLSearchParams(location.search).getAll("host").at(-1);
  if (window.parent === window || !isOrigin(origin)) return undefined;
  return {
    post: (message) => parent.postMessage(message, origin),
    listen: (hear) => addEventListener("message", (event) => {
      if (event.source === parent && event.origin === origin) hear(event.data);
    }),
  };
}

function isOrigin(text) {
  try {
    return new URL(text).origin === text;
  } catch {
    return false;
  }
}

function connectToHost(connection) {
  if (!connection) return undefined;
  document.documentElement.dataset.hosted = "";
  refuseDrops();
  const reads = new Map();
  let nReads = 0;
  // Until the app takes the messages.
  const early = [];
  let take = (message) => early.push(message);

  const post = (message) => connection.post({ camlscope: HOST_PROTOCOL, ...message });
  connection.listen((message) => {
    if (message?.camlscope !== HOST_PROTOCOL) return;
    if (message.type === "piece") {
      reads.get(message.id)?.(message.bytes);
      reads.delete(message.id);
      return;
    }
    if (message.type === "theme" && THEMES.includes(message.kind)) document.documentElement.dataset.theme = message.kind;
    take(message);
  });

  function read(offset, length) {
    return new Promise((resolve, reject) => {
      const id = nReads++;
      reads.set(id, (bytes) => {
        const piece = bytes ? new Uint8Array(bytes) : [];
        if (piece.length === length) resolve(piece);
        else reject(new DOMException("the host sent something else", "NotReadableError"));
      });
      post({ type: "read", id, offset, length });
    });
  }

  // Returns a port through which the worker reads the host's file, like that of `file_port.rs`.
  function port(size) {
    const { port1, port2 } = new MessageChannel();
    const coming = [];
    let requested = 0;
    const request = () => {
      while (coming.length < MAX_REQUESTS && requested < size) {
        const piece = read(requested, Math.min(PIECE_BYTES, size - requested));
        // The worker hears of a failure when it asks for this piece.
        piece.catch(() => {});
        coming.push(piece);
        requested += PIECE_BYTES;
      }
    };
    let rest = new Uint8Array();
    port1.onmessage = async ({ data: isWanted }) => {
      if (!isWanted) return port1.close();
      try {
        if (rest.length === 0 && coming.length > 0) {
          rest = await coming.shift();
          request();
        }
        const chunk = rest.slice(0, CHUNK_BYTES).buffer;
        rest = rest.subarray(CHUNK_BYTES);
        if (chunk.byteLength > 0) port1.postMessage(chunk, [chunk]);
        else port1.postMessage(null);
      } catch (error) {
        port1.postMessage(error.name);
      }
    };
    request();
    return port2;
  }

  async function blob(size) {
    const pieces = [];
    for (let offset = 0; offset < size; offset += PIECE_BYTES) {
      pieces.push(await read(offset, Math.min(PIECE_BYTES, size - offset)));
    }
    return new Blob(pieces);
  }

  function listen(taker) {
    take = taker;
    early.splice(0).forEach(taker);
  }

  post({ type: "ready" });
  return { post, listen, port, blob };
}

// The host decides what the page shows. Without these handlers, the browser would leave the page to open the file.
function refuseDrops() {
  for (const kind of ["dragenter", "dragover", "drop"]) {
    addEventListener(kind, (event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      event.dataTransfer.dropEffect = "none";
    }, { capture: true });
  }
}
