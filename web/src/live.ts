// A page that `lowtide serve` shows of a job that runs comes anew by itself; what the reader chose stays.
import { parseChosen, type Chosen } from "./chosen";
import type { Data } from "./data";

const KEY = "lowtide";
const MOMENT_MS = 250; // a page that is looked at closely just now waits so long, again and again

const keepers: ((chosen: Chosen) => void)[] = [];
const chosen: Chosen = read();
let isLive = false;
let isHeld = false;

function read(): Chosen {
  try {
    return parseChosen(sessionStorage.getItem(KEY));
  } catch {
    return {}; // a file on disk has no storage, nor a page before
  }
}

// What was chosen before the page came anew; nothing in one from disk.
export const before = (): Chosen => (isLive ? chosen : {});

// Asked for what the reader has chosen, just before the page comes anew.
export const onLeave = (keeper: (chosen: Chosen) => void) => keepers.push(keeper);

function comeAnew() {
  if (document.hidden || isHeld) {
    setTimeout(comeAnew, MOMENT_MS);
    return;
  }
  const next: Chosen = {};
  for (const keeper of keepers) keeper(next);
  sessionStorage.setItem(KEY, JSON.stringify(next));
  location.reload();
}

export function keepUp(data: Data) {
  if (data.again_s === null) return;
  isLive = true;
  addEventListener("pointerdown", () => (isHeld = true));
  addEventListener("pointerup", () => (isHeld = false));
  setTimeout(comeAnew, data.again_s * 1000);
}
