// A page that `lowtide serve` shows of a running job fetches itself again every few seconds and patches what has changed.
// It is not loaded again, so nothing that the reader does is interrupted.
import { parseData, type Data } from "./data";

const RETRY_MS = 250; // while the page is hidden, or the reader drags

// The page as the server makes it now. XMLHttpRequest parses HTML without running any of it; the page's policy allows no
// other way to turn text into elements.
function fetchPage(): Promise<Document> {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    request.open("GET", location.href);
    request.responseType = "document";
    request.addEventListener("load", () => {
      if (request.status === 200 && request.responseXML) done(request.responseXML);
      else fail(new Error(`status ${request.status}`));
    });
    request.addEventListener("error", () => {
      fail(new Error("no connection"));
    });
    request.send();
  });
}

export interface Live {
  update: (page: Document, data: Data) => void;
  isLost: (lost: boolean) => void; // true: the server does not answer
}

export function keepUp(first: Data, { update, isLost }: Live) {
  if (first.again_s === null) return;
  let isHeld = false;
  addEventListener("pointerdown", () => (isHeld = true));
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (isHeld = false));
  let millis = first.again_s * 1000;
  const later = (wait: number) => setTimeout(() => void refresh(), wait);
  const refresh = async () => {
    if (document.hidden || isHeld) {
      later(RETRY_MS);
      return;
    }
    let page: Document;
    let data: Data;
    try {
      page = await fetchPage();
      data = parseData(page.getElementById("lowtide-data")?.textContent ?? "");
    } catch {
      isLost(true);
      later(millis);
      return;
    }
    isLost(false);
    if (data.report.lowtide !== first.report.lowtide) {
      location.reload(); // another version of lowtide serves now: its scripts belong to its data
      return;
    }
    update(page, data);
    if (data.again_s === null) return; // the job has ended
    millis = data.again_s * 1000;
    later(millis);
  };
  later(millis);
}
