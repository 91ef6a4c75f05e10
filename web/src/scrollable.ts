// A table that is wider than its place scrolls sideways. Then it can have the focus, so that arrow keys scroll it; else it
// would only be one more stop for Tab.

export function watchScrollable(): { check: () => void } {
  const check = () => {
    for (const box of document.querySelectorAll<HTMLElement>(".scroll")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  new ResizeObserver(check).observe(document.body);
  return { check };
}
