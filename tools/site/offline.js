// SPDX-License-Identifier: MIT
// A Worker for pages that are opened as files: an empty frame of the same origin
// in which the script runs. It has what the search of the theme uses.
window.Worker = class extends EventTarget {
  constructor(url) {
    super();
    this.waiting = [];
    const attach = () => {
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      this.inner = frame.contentWindow;
      this.inner.answer = data => this.dispatchEvent(new MessageEvent("message", { data }));
      const document_ = frame.contentDocument;
      document_.open();
      document_.write(
        "<script>postMessage = data => answer(data);" +
          "importScripts = (...urls) => urls.forEach(url => document.write('<script src=\"' + url + '\"><\\/script>'));</script>" +
          `<script src="${url}" onload="ready()"></script>`);
      this.inner.ready = () => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach(data => this.postMessage(data));
      };
      document_.close();
    };
    if (document.body) attach();
    else addEventListener("DOMContentLoaded", attach);
  }
  postMessage(data) {
    if (this.waiting) this.waiting.push(data);
    else this.inner.dispatchEvent(new MessageEvent("message", { data }));
  }
};
