// What the reader looks at stays where it is while the page changes around it.

const top = (element: Element) => element.getBoundingClientRect().top;

// The element with the focus if it can be seen, else the first section that can.
function findAnchor(): Element | null {
  const isSeen = (element: Element) => {
    const box = element.getBoundingClientRect();
    return box.bottom > 0 && box.top < innerHeight;
  };
  const active = document.activeElement;
  if (active && active !== document.body && isSeen(active)) return active;
  return [...document.querySelectorAll("main > header, main > section, article, #pictures > section, #pictures h3, #pictures tr")].find((one) => isSeen(one) && top(one) >= 0) ?? null;
}

export function keepPlace(change: () => void) {
  const focused = document.activeElement;
  const anchor = findAnchor();
  const before = anchor ? top(anchor) : 0;
  change();
  // An element that was moved within the page has lost the focus.
  if (focused instanceof HTMLElement && focused !== document.body && focused.isConnected && document.activeElement !== focused) {
    focused.focus({ preventScroll: true });
  }
  if (!anchor?.isConnected) return;
  const moved = top(anchor) - before;
  if (moved !== 0) scrollBy({ top: moved, behavior: "instant" });
}
